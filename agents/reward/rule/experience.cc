#include "rule/experience.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace outrigger::reward {
namespace {

constexpr double kNothing = 1e-3;      // of a success: forgotten
constexpr double kMostHalfLives = 64;  // between the epoch and what is counted
constexpr double kHasFailed = 0.01;    // decayed failures that change a score

}  // namespace

bool IsMoreUsed(const Sums& a, const Sums& b) {
  const bool a_failed = a.failures >= kHasFailed;
  const bool b_failed = b.failures >= kHasFailed;
  if (a_failed != b_failed) return a_failed;
  return a.successes + a.failures > b.successes + b.failures;
}

double Experience::Factor(Seconds at) const {
  return std::exp2(static_cast<double>(epoch_ - at) / rule_.half_life);
}

double Experience::Growth(Seconds at) {
  if (types_.empty()) epoch_ = at;
  if (static_cast<double>(at - epoch_) > kMostHalfLives * rule_.half_life) Rescale(at);
  return std::exp2(static_cast<double>(at - epoch_) / rule_.half_life);
}

void Experience::Rescale(Seconds epoch) {
  const double factor = Factor(epoch);
  for (auto& [type, entry] : types_) {
    entry.all = Scaled(entry.all, factor);
    for (auto& [node, kept] : entry.pairs) kept.sums = Scaled(kept.sums, factor);
  }
  epoch_ = epoch;
}

Experience::TypeEntry& Experience::Entry(std::string_view type) {
  const auto found = types_.find(type);
  TypeEntry& entry = found != types_.end() ? found->second : types_[std::string(type)];
  entry.revision = ++revision_;
  return entry;
}

Experience::Kept& Experience::Touch(TypeEntry* entry, std::string_view node) {
  const auto found = entry->pairs.find(node);
  if (found != entry->pairs.end()) return found->second;
  ++pairs_;
  return entry->pairs[std::string(node)];
}

void Experience::Add(std::string_view type, std::string_view node, const Sums& sums, Seconds at) {
  const Sums scaled = Scaled(sums, Growth(at));
  TypeEntry& entry = Entry(type);
  Kept& kept = Touch(&entry, node);
  for (Sums* to : {&entry.all, &kept.sums}) {
    to->successes += scaled.successes;
    to->failures += scaled.failures;
  }
  if (pairs_ > kMostPairs) DropLeastUsed(at);
}

void Experience::AddFailure(std::string_view type, std::string_view node, double ran, Seconds at) {
  Add(type, node, {0, FailureShare(ran, rule_)}, at);
  // It may have fallen out at once, and its type with it.
  const auto entry = types_.find(type);
  if (entry == types_.end()) return;
  const auto kept = entry->second.pairs.find(node);
  if (kept == entry->second.pairs.end()) return;
  std::vector<Seconds>& times = kept->second.failed_at;
  times.insert(std::ranges::lower_bound(times, at, std::greater<>()), at);
  if (times.size() > kRemembered) times.pop_back();
}

void Experience::AddSuccess(std::string_view type, std::string_view node, Seconds at) {
  Add(type, node, {1, 0}, at);
}

// The earlier ones have decayed since: a geometric series.
void Experience::AddRunning(std::string_view type, std::string_view node, int64_t periods,
                            Seconds at) {
  if (periods <= 0) return;
  const double kept = std::exp2(-rule_.mttf / rule_.half_life);
  const auto n = static_cast<double>(periods);
  const double sum = kept < 1 ? (1 - std::pow(kept, n)) / (1 - kept) : n;
  Add(type, node, {sum, 0}, at);
}

void Experience::SetPair(std::string_view type, std::string_view node, const Pair& pair,
                         Seconds at) {
  const double growth = Growth(at);
  TypeEntry& entry = Entry(type);
  Kept& kept = Touch(&entry, node);
  entry.all.successes = std::max(0.0, entry.all.successes - kept.sums.successes);
  entry.all.failures = std::max(0.0, entry.all.failures - kept.sums.failures);
  kept.sums = Scaled(pair.sums, growth);
  kept.failed_at = pair.failed_at;
  entry.all.successes += kept.sums.successes;
  entry.all.failures += kept.sums.failures;
  if (pairs_ > kMostPairs) DropLeastUsed(at);
}

void Experience::SetType(std::string_view type, const Sums& all, Seconds at) {
  const Sums scaled = Scaled(all, Growth(at));
  TypeEntry& entry = Entry(type);
  Sums of_pairs;
  for (const auto& [node, kept] : entry.pairs) {
    of_pairs.successes += kept.sums.successes;
    of_pairs.failures += kept.sums.failures;
  }
  entry.all.successes = std::max(of_pairs.successes, scaled.successes);
  entry.all.failures = std::max(of_pairs.failures, scaled.failures);
}

void Experience::Shift(Seconds by) {
  epoch_ += by;
  for (auto& [type, entry] : types_) {
    entry.revision = ++revision_;
    for (auto& [node, kept] : entry.pairs) {
      for (Seconds& time : kept.failed_at) time += by;
    }
  }
}

void Experience::Forget(Seconds now) {
  const double least = kNothing / Factor(now);
  const auto is_nothing = [least](const Sums& sums) {
    return sums.successes + sums.failures < least;
  };
  absl::erase_if(types_, [&](auto& type) {
    pairs_ -= absl::erase_if(type.second.pairs,
                             [&](const auto& pair) { return is_nothing(pair.second.sums); });
    return type.second.pairs.empty() && is_nothing(type.second.all);
  });
}

void Experience::DropLeastUsed(Seconds at) {
  struct Place {
    Sums sums;
    std::string_view type;
    std::string_view node;
  };
  std::vector<Place> places;
  places.reserve(pairs_);
  const double factor = Factor(at);
  for (const auto& [type, entry] : types_) {
    for (const auto& [node, kept] : entry.pairs)
      places.push_back({Scaled(kept.sums, factor), type, node});
  }
  const size_t staying = kMostPairs - kMostPairs / 10;
  std::ranges::nth_element(
      places, places.begin() + static_cast<std::ptrdiff_t>(staying),
      [](const Place& a, const Place& b) { return IsMoreUsed(a.sums, b.sums); });
  for (size_t i = staying; i < places.size(); ++i) {
    const auto type = types_.find(places[i].type);
    type->second.pairs.erase(type->second.pairs.find(places[i].node));
    if (type->second.pairs.empty()) types_.erase(type);
    --pairs_;
    ++fallen_out_;
  }
}

Sums Experience::All(std::string_view type, Seconds at) const {
  const auto found = types_.find(type);
  return found == types_.end() ? Sums() : Scaled(found->second.all, Factor(at));
}

Experience::Pair Experience::Find(std::string_view type, std::string_view node, Seconds at) const {
  const auto found = types_.find(type);
  if (found == types_.end()) return {};
  const auto kept = found->second.pairs.find(node);
  return kept == found->second.pairs.end() ? Pair() : At(kept->second, Factor(at));
}

uint64_t Experience::Revision(std::string_view type) const {
  const auto found = types_.find(type);
  return found == types_.end() ? 0 : found->second.revision;
}

}  // namespace outrigger::reward
