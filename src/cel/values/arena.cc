#include "cel/values/arena.h"

#include <algorithm>
#include <cstring>

namespace outrigger::cel {
namespace {

constexpr size_t kAlignment = alignof(std::max_align_t);
constexpr size_t kKept = size_t{1} << 20U;

}  // namespace

void* Arena::AllocateBytes(size_t count, size_t size) {
  if (exhausted_ || (size != 0 && count > limit_ / size)) {
    exhausted_ = true;
    return nullptr;
  }
  const size_t bytes =
      (std::max<size_t>(count * size, 1) + kAlignment - 1) / kAlignment * kAlignment;
  if (used_ + bytes > limit_) {
    exhausted_ = true;
    return nullptr;
  }
  while (current_ < blocks_.size() && offset_ + bytes > blocks_[current_].size) {
    ++current_;
    offset_ = 0;
  }
  if (current_ == blocks_.size()) AddBlock(bytes);
  void* place = blocks_[current_].bytes.get() + offset_;
  offset_ += bytes;
  used_ += bytes;
  return place;
}

void Arena::AddBlock(size_t bytes) {
  const size_t doubled = blocks_.empty() ? first_block_ : 2 * blocks_.back().size;
  const size_t size = std::max(bytes, std::min(doubled, kKept * 8));
  blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), size});
  offset_ = 0;
}

std::string_view Arena::StoreText(std::string_view text) {
  char* place = Allocate<char>(text.size());
  if (place == nullptr) return {};
  std::memcpy(place, text.data(), text.size());
  return {place, text.size()};
}

void Arena::Reset() {
  size_t kept = 0;
  size_t blocks = 0;
  while (blocks < blocks_.size() && kept + blocks_[blocks].size <= kKept) {
    kept += blocks_[blocks++].size;
  }
  blocks_.resize(blocks);
  current_ = 0;
  offset_ = 0;
  used_ = 0;
  exhausted_ = false;
}

}  // namespace outrigger::cel
