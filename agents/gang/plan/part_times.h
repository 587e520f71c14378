#pragma once

#include <chrono>
#include <map>
#include <optional>

#include "gang/plan/groups.h"
#include "gang/plan/unit.h"

namespace outrigger::plan {

/// Limits the time for which a gang in part comes before others (GroupState::preferred). Reads no
/// clock. Not thread-safe.
class PartTimes {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// A gang is preferred for so long. It has that time again once it has not been in part for
  /// kWholeFor: members that are bound one after another are in part for a moment, too.
  static constexpr std::chrono::minutes kPreferredFor{10};
  static constexpr std::chrono::minutes kWholeFor{1};

  /// Sets GroupState::preferred and Rank::in_part to false for gangs whose time is over, and brings
  /// the units into order again. Call it after each UnitTable::Update(), before anything else reads
  /// or changes `made`.
  void Limit(Time now, GroupedUnits* made);
  /// When the next gang's time is over; nothing: none has any left.
  std::optional<Time> next_look() const { return next_look_; }

 private:
  struct Entry {
    Time since;
    Time last;  // in part
  };
  bool IsOver(const GroupState& group, Time now);

  std::map<UnitKey, Entry> entries_;
  std::optional<Time> next_look_;
};

}  // namespace outrigger::plan
