#pragma once

#include <optional>
#include <string>
#include <vector>

#include "outrigger/agent/page.h"
#include "outrigger/penalty/edges.h"
#include "outrigger/penalty/ledger.h"
#include "outrigger/penalty/time.h"

// The pages of agent penalty, which `outrigger explain penalty` prints, too (docs/penalty.md).
// Pure and thread-safe.

namespace outrigger::penalty {

/// "penalty": a class in each row.
PageSpec ClassesPage();
/// "penalty-changes": the last changes of values, the newest first.
PageSpec ChangesPage();
/// "penalty-sums": queues and namespaces.
PageSpec SumsPage();
/// "penalty-groups": PodGroups that are counted.
PageSpec GroupsPage();
/// All four, in this order.
std::vector<PageSpec> PenaltyPages();

/// A row of ClassesPage().
struct ClassRow {
  const ClassAccount* account = nullptr;  // never null
  double penalty = 0;                     // points
  std::string state;                      // "at base", "penalised", "left alone: finalizers"
  std::optional<int64_t> next_value = {};
  std::optional<Millis> next_at = {};
};
void AddRow(const ClassRow& row, PageTable* table);

void FillChanges(const Ledger& ledger, PageTable* table);

/// With `policy`: penalties as of `now`; without: as of their last count.
void FillSums(const Ledger& ledger, const Policy* policy, Millis now, PageTable* table);

/// A row of GroupsPage().
struct GroupRow {
  std::string namespace_;
  std::string name;
  std::string phase;
  std::string class_name;
  std::string queue;
  std::string counted;  // "1 started"
};
void AddRow(const GroupRow& row, PageTable* table);
/// What is counted of a group, for GroupRow: "1 started", "1 completed", "0 new".
std::string CountedText(const GroupState& state);

}  // namespace outrigger::penalty
