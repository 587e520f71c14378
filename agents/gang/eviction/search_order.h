#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "common/desk_names.h"
#include "gang/plan/unit.h"
#include "sdk/base/backoff.h"

namespace outrigger::gang {

/// For which unit that does not fit victims are searched next. A unit for which nothing was found
/// waits for some seconds, and twice as long each time. Every other search is for a gang, the one
/// that was searched for least: else some hundred pods before it would take all searches. Not
/// thread-safe.
class SearchOrder {
 public:
  static constexpr std::chrono::seconds kFirstWait{5};
  static constexpr std::chrono::seconds kLongestWait{300};
  /// After evictions in vain: kLongestWait, and twice as long each time.
  static constexpr std::chrono::seconds kLongestPause{3600};

  /// The index of the unit to search for; nothing: none is due. `waits`: whether the unit of an
  /// index does not fit. Forgets units that are not among `units`, or fit,
  /// once their pause is over.
  std::optional<size_t> Choose(std::span<const plan::Unit> units,
                               const std::function<bool(size_t)>& waits, Time now);
  /// When the next unit of the last Choose() is due that was not yet; nothing: there is none.
  std::optional<Time> next_due() const { return next_due_; }

  /// Nothing was found for the unit.
  void Fail(const plan::UnitKey& unit, Time now);
  /// Evictions for the unit came to nothing. Returns how long it waits now, also if it fits for a
  /// moment meanwhile.
  std::chrono::seconds Expire(const plan::UnitKey& unit, Time now);
  /// The unit is bound.
  void Forget(const plan::UnitKey& unit) { tried_.erase(unit); }

 private:
  struct Tried {
    Time until;
    Backoff<std::chrono::seconds> wait{kFirstWait, kLongestWait};
    Backoff<std::chrono::seconds> pause{kLongestWait, kLongestPause};  // after evictions in vain
    bool seen = false;
  };
  std::chrono::seconds WaitOf(const plan::UnitKey& unit) const;
  bool IsDue(const plan::UnitKey& unit, Time now);

  std::map<plan::UnitKey, Tried> tried_;
  size_t failed_ = 0;
  std::optional<Time> next_due_;
};

/// Pods that stayed when they were to be evicted, and are no victims for a while. Not thread-safe.
class Refusals {
 public:
  /// After what may be over in a moment: up to kFirstWait.
  static constexpr std::chrono::seconds kFirstShortWait{10};
  /// After a refusal: up to kLongestWait.
  static constexpr std::chrono::seconds kFirstWait{300};
  static constexpr std::chrono::seconds kLongestWait{3600};

  /// Returns for how long the pod, by its UID, is left out: twice as long each time.
  std::chrono::seconds Add(const std::string& pod, const absl::Status& answer, Time now);
  /// The answers for pods that are left out now, by UID.
  std::map<std::string, std::string, std::less<>> Of(Time now);

 private:
  struct Refused {
    Time until;
    std::chrono::seconds wait{0};
    std::string answer;
  };
  std::map<std::string, Refused, std::less<>> pods_;  // by UID
};

}  // namespace outrigger::gang
