#pragma once

#include <string_view>
#include <vector>

#include "gang/plan/unit.h"
#include "outrigger/agent/page.h"

// The queue as a table: the page /queue of agent qos, and what `outrigger explain queue` prints.

namespace outrigger::plan {

/// A unit that wants a place. The views live as long as what was planned.
struct QueueEntry {
  const UnitKey* key = nullptr;  // neither is null
  const Rank* rank = nullptr;
  bool fits = false;       // it has a place in the plan
  std::string_view lacks;  // what is short, in a word, if it does not fit: "cpu"
};

/// Returns "Guaranteed", "Burstable" or "BestEffort".
std::string_view TextOf(QosClass qos);

/// Returns the page "queue": name, help and columns. docs/pages.md has the meaning of each column.
PageSpec QueuePage();

/// Adds a row for each entry, in the order of their ranks. `table` has the columns of QueuePage().
/// Rows over its bound are counted.
void FillQueuePage(std::vector<QueueEntry> entries, PageTable* table);

}  // namespace outrigger::plan
