#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gang/plan/planner.h"
#include "gang/plan/unit.h"
#include "outrigger/agent/page.h"

// The queue as a table: the page /queue of agents gang and qos, and what `outrigger explain queue`
// prints.

namespace outrigger::plan {

/// A unit that wants a place. Pointers and views live as long as what was planned.
struct QueueEntry {
  const UnitKey* key = nullptr;  // neither is null
  const Rank* rank = nullptr;
  bool fits = false;             // it has a place in the plan
  std::string_view lacks;        // what is short, in a word, if it does not fit: "cpu"
  const Cause* cause = nullptr;  // of `lacks`; null: not known
  const Pod* first = nullptr;    // of its pods that want a place; null: not known
  int64_t members = 1;           // pods that want a place
  int64_t bound = 0;             // members that have one
  int64_t minimum = 1;           // of a gang; 1 for a pod
};

/// Returns "Guaranteed", "Burstable" or "BestEffort".
std::string_view TextOf(QosClass qos);

/// Returns the page "queue": name, help and columns.
PageSpec QueuePage();

/// Bytes of a sentence that says why a unit waits.
inline constexpr size_t kLongestWhy = 1024;

/// Returns why the unit, which does not fit, waits, as one sentence of at most kLongestWhy: "too
/// little cpu is left on the nodes that take it; it asks for 8".
std::string WhyText(const QueueEntry& entry);

/// Adds the row of a unit that has that place in the order, after the unit named `after` (empty:
/// none). `why` it waits: WhyText() or a better text; empty if it fits. `table` has the columns of
/// QueuePage().
void AddQueueRow(size_t position, const QueueEntry& entry, std::string_view after,
                 std::string_view why, PageTable* table);

/// Adds a row for each entry, in the order of their ranks, with WhyText(). Rows over the bound of
/// `table` are counted.
void FillQueuePage(std::vector<QueueEntry> entries, PageTable* table);

}  // namespace outrigger::plan
