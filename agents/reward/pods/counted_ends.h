#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "common/method.h"

namespace outrigger::reward {

/// Which ends of containers were counted lately, so that a process that begins where another one
/// ended counts none again. Of what happened before its horizon everything counts as counted. Not
/// thread-safe.
class CountedEnds {
 public:
  /// How long an end is remembered.
  static constexpr Seconds kKept = 600;
  /// Where there are more, the oldest go, and the horizon with them.
  static constexpr size_t kMost = 8192;
  static constexpr Seconds kNever = std::numeric_limits<Seconds>::min();

  /// Whose end it is, and which: of the `run`th run (0: the first) of that container, or of the pod
  /// itself where `container` is empty.
  struct End {
    std::string_view uid;
    std::string_view container;
    bool is_init = false;
    bool is_success = false;
    int64_t run = 0;
  };
  /// The number of an end, the same in every process.
  static uint64_t KeyOf(const End& end);

  /// True if the end was counted.
  bool Contains(uint64_t key) const { return ends_.contains(key); }
  void Add(uint64_t key, Seconds at);
  /// Forgets ends before `horizon`; it never goes back.
  void SetHorizon(Seconds horizon);
  /// The clock was set, by so many seconds.
  void Shift(Seconds by);

  /// What happened up to then was counted, or will not be.
  Seconds horizon() const { return horizon_; }
  size_t size() const { return ends_.size(); }
  /// visit(key, at), in no order.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const auto& [key, at] : ends_) visit(key, at);
  }

 private:
  absl::flat_hash_map<uint64_t, Seconds> ends_;
  Seconds horizon_ = kNever;
};

}  // namespace outrigger::reward
