#include "pods/counted_ends.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace outrigger::reward {
namespace {

// FNV-1a: a process that reads the state has to come to the same number.
uint64_t Mix(uint64_t hash, std::string_view bytes) {
  for (const char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return (hash ^ 0xff) * 0x100000001b3;  // ends the part: "ab", "c" is not "a", "bc"
}

uint64_t Mix(uint64_t hash, int64_t number) {
  for (int shift = 0; shift < 64; shift += 8) {
    hash ^= (static_cast<uint64_t>(number) >> shift) & 0xff;
    hash *= 0x100000001b3;
  }
  return hash;
}

}  // namespace

uint64_t CountedEnds::KeyOf(const End& end) {
  uint64_t hash = Mix(0xcbf29ce484222325, end.uid);
  hash = Mix(hash, end.container);
  hash = Mix(hash, int64_t{end.is_init ? 1 : 0} + (end.is_success ? 2 : 0));
  return Mix(hash, end.run);
}

void CountedEnds::Add(uint64_t key, Seconds at) {
  ends_[key] = at;
  if (ends_.size() <= kMost) return;
  std::vector<Seconds> times;
  times.reserve(ends_.size());
  for (const auto& [known, time] : ends_) times.push_back(time);
  const auto at_most = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 10);
  std::ranges::nth_element(times, at_most);
  SetHorizon(*at_most);
}

void CountedEnds::SetHorizon(Seconds horizon) {
  if (horizon <= horizon_) return;
  horizon_ = horizon;
  absl::erase_if(ends_, [horizon](const auto& end) { return end.second <= horizon; });
}

void CountedEnds::Shift(Seconds by) {
  if (horizon_ != kNever) horizon_ += by;
  for (auto& [key, at] : ends_) at += by;
}

}  // namespace outrigger::reward
