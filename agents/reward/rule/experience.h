#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/method.h"
#include "rule/rule.h"

namespace outrigger::reward {

struct NameHash {
  using is_transparent = void;
  size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
};

/// By name; a look into it makes no string.
template <typename T>
using NameMap = absl::flat_hash_map<std::string, T, NameHash, std::equal_to<>>;

/// What was counted for each pair of a pod type and a node, and for each type over all nodes. It
/// decays by time: what is read is as of a moment, and nothing has to be touched for that. Not
/// thread-safe.
class Experience {
 public:
  /// Failures of a pair that are remembered by their time.
  static constexpr size_t kRemembered = 8;
  /// More pairs are not kept: the least used ones fall out, and stay in the sum of their type.
  static constexpr size_t kMostPairs = 40'000;

  /// A pair, as of a moment.
  struct Pair {
    Sums sums;
    /// When it failed, the latest first; the last kRemembered.
    std::vector<Seconds> failed_at;
  };

  explicit Experience(const Rule& rule) : rule_(rule) {}

  const Rule& rule() const { return rule_; }

  /// A failure at `at`, after a run of `ran` seconds.
  void AddFailure(std::string_view type, std::string_view node, double ran, Seconds at);
  /// An exit with code 0.
  void AddSuccess(std::string_view type, std::string_view node, Seconds at);
  /// `periods` times mttf of running, the last of which was over at `at`.
  void AddRunning(std::string_view type, std::string_view node, int64_t periods, Seconds at);
  /// Sets a pair, and the sums of a type over all nodes, to what they were at `at`. The sums of a
  /// type are never less than those of its pairs together.
  void SetPair(std::string_view type, std::string_view node, const Pair& pair, Seconds at);
  void SetType(std::string_view type, const Sums& all, Seconds at);

  /// The clock was set, by so many seconds: what was counted keeps its age.
  void Shift(Seconds by);
  /// Forgets what has decayed to next to nothing.
  void Forget(Seconds now);

  // Zeros where nothing is known.
  Sums All(std::string_view type, Seconds at) const;
  Pair Find(std::string_view type, std::string_view node, Seconds at) const;
  /// A number that changes with each change of the type, and is 0 while nothing is known of it.
  uint64_t Revision(std::string_view type) const;

  size_t pairs() const { return pairs_; }
  size_t types() const { return types_.size(); }
  /// How many pairs have fallen out.
  uint64_t fallen_out() const { return fallen_out_; }

  /// Visits each type: visit(type, sums over all nodes), in no order.
  template <typename Visit>
  void ForEachType(Seconds at, Visit visit) const {
    const double factor = Factor(at);
    for (const auto& [type, entry] : types_) visit(type, Scaled(entry.all, factor));
  }
  /// Visits each pair: visit(type, node, pair), in no order.
  template <typename Visit>
  void ForEachPair(Seconds at, Visit visit) const {
    const double factor = Factor(at);
    for (const auto& [type, entry] : types_) {
      for (const auto& [node, kept] : entry.pairs) visit(type, node, At(kept, factor));
    }
  }
  /// Visits each pair of a type: visit(node, pair), in no order.
  template <typename Visit>
  void ForEachPairOf(std::string_view type, Seconds at, Visit visit) const {
    const auto found = types_.find(type);
    if (found == types_.end()) return;
    const double factor = Factor(at);
    for (const auto& [node, kept] : found->second.pairs) visit(node, At(kept, factor));
  }

 private:
  // As of epoch_: an amount that is counted later is multiplied by what will have decayed of it
  // until then, so that all decay together.
  struct Kept {
    Sums sums;
    std::vector<Seconds> failed_at;
  };
  struct TypeEntry {
    Sums all;
    uint64_t revision = 0;
    NameMap<Kept> pairs;
  };

  static Sums Scaled(const Sums& sums, double factor) {
    return {sums.successes * factor, sums.failures * factor};
  }
  static Pair At(const Kept& kept, double factor) {
    return {Scaled(kept.sums, factor), kept.failed_at};
  }
  double Factor(Seconds at) const;  // from epoch_ to `at`
  double Growth(Seconds at);        // the other way; moves the epoch where that is far away
  void Rescale(Seconds epoch);
  TypeEntry& Entry(std::string_view type);
  Kept& Touch(TypeEntry* entry, std::string_view node);
  void Add(std::string_view type, std::string_view node, const Sums& sums, Seconds at);
  void DropLeastUsed(Seconds at);

  Rule rule_;
  Seconds epoch_ = 0;
  NameMap<TypeEntry> types_;
  size_t pairs_ = 0;
  uint64_t revision_ = 0;
  uint64_t fallen_out_ = 0;
};

/// Which of two pairs is worth more: one that has failed before one that has not (whose absence
/// changes no score), then the one of which more was counted.
bool IsMoreUsed(const Sums& a, const Sums& b);

}  // namespace outrigger::reward
