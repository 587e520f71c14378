#pragma once

#include <chrono>
#include <map>
#include <optional>

#include "outrigger/desk/board.h"
#include "outrigger/desk/time.h"
#include "outrigger/plan/unit.h"

namespace outrigger::desk {

/// For how long units have fit in no plan. Not thread-safe.
class UnfitTimes {
 public:
  void OnPlan(const Board& board, Time now);
  /// True if the unit has fit in no plan for so long. That a gang lacks members meanwhile neither
  /// begins that time nor ends it.
  bool HasNotFit(const plan::UnitKey& key, std::chrono::seconds time, Time now) const;

 private:
  struct Entry {
    std::optional<Time> since;  // nothing: it has not been planned
    bool seen = false;
  };
  std::map<plan::UnitKey, Entry> entries_;
};

}  // namespace outrigger::desk
