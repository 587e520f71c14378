#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "outrigger/plan/notes.h"
#include "outrigger/plan/unit.h"
#include "plan/groups/gang.h"

namespace outrigger::plan {

/// Brings units into their order. Units are large and most are single pods: these are sorted as
/// views and made only when their place is known.
class Queue {
 public:
  /// `pod` is in no gang; it must stay where it is until Take().
  void AddSingle(const PodPtr& pod, Notes* notes);
  void AddGang(Unit unit);
  /// Makes `units` all units, in order, in the memory that it has. To be called once.
  void Take(std::vector<Unit>* units);

 private:
  // The fields of Rank, and what makes the order total across dialects.
  struct Entry {
    bool broken = false;
    int64_t group_priority = 0;
    int32_t priority = 0;
    int64_t turn = 0;
    QosClass qos = QosClass::kBestEffort;
    int64_t created = 0;
    std::string_view namespace_;
    std::string_view name;
    std::string_view uid;
    Dialect dialect = Dialect::kNone;
    const PodPtr* single = nullptr;  // or else
    Unit* gang = nullptr;
  };
  static bool ComesFirst(const Entry* a, const Entry* b);
  static void Fill(const Entry& entry, Unit* unit);

  std::deque<Entry> entries_;
  std::deque<Unit> gangs_;
};

}  // namespace outrigger::plan
