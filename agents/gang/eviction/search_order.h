#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>

#include "common/desk_names.h"
#include "outrigger/plan/unit.h"

namespace outrigger::gang {

/// For which unit that does not fit victims are searched next. A unit for which nothing was found
/// waits for some seconds, and twice as long each time. Every other search is for a gang, the one
/// that was searched for least: else some hundred pods before it would take all searches. Not
/// thread-safe.
class SearchOrder {
 public:
  static constexpr std::chrono::seconds kFirstWait{5};
  static constexpr std::chrono::seconds kLongestWait{300};

  /// The index of the unit to search for; nothing: none is due. `waits`: whether the unit of an
  /// index does not fit. Forgets units that are not among `units`, or fit.
  std::optional<size_t> Choose(std::span<const plan::Unit> units,
                               const std::function<bool(size_t)>& waits, Time now);
  /// When the next unit of the last Choose() is due that was not yet; nothing: there is none.
  std::optional<Time> next_due() const { return next_due_; }

  /// Nothing was found for the unit.
  void Fail(const plan::UnitKey& unit, Time now);
  /// The unit has not got its places: it waits for the longest time.
  void Expire(const plan::UnitKey& unit, Time now);

 private:
  struct Tried {
    Time until;
    std::chrono::seconds wait{0};
    bool seen = false;
  };
  std::chrono::seconds WaitOf(const plan::UnitKey& unit) const;
  bool IsDue(const plan::UnitKey& unit, Time now);

  std::map<plan::UnitKey, Tried> tried_;
  size_t failed_ = 0;
  std::optional<Time> next_due_;
};

}  // namespace outrigger::gang
