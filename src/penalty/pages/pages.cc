#include "outrigger/penalty/pages.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "penalty/policy/text.h"

namespace outrigger::penalty {
namespace {

using Type = PageColumn::Type;

std::string_view StageText(Stage stage) {
  switch (stage) {
    case Stage::kNew:
      return "new";
    case Stage::kWaiting:
      return "waiting";
    case Stage::kRunning:
      return "started";
    case Stage::kCompleted:
      return "completed";
  }
  return "";
}

// A time, or nothing where there was none.
PageCell TimeCell(Millis time) {
  if (time == 0) return {};
  return TimeText(time);
}

PageCell TextCell(const std::string& text) {
  if (text.empty()) return {};
  return text;
}

void FillSums(std::string_view kind, const Sums& sums, const Policy* policy, Millis now,
              PageTable* table) {
  for (const auto& [name, account] : sums) {
    const double penalty = policy == nullptr ? account.penalty : PenaltyAt(account, *policy, now);
    table->Add({std::string(kind), name, penalty, account.starts, account.completions});
  }
}

}  // namespace

PageSpec ClassesPage() {
  return {"penalty",
          "priority classes, their values and penalties",
          {{"class", Type::kText},
           {"base", Type::kInteger},
           {"value", Type::kInteger},
           {"penalty", Type::kNumber},
           {"starts", Type::kInteger},
           {"completions", Type::kInteger},
           {"state", Type::kText},
           {"nextValue", Type::kInteger},
           {"nextAt", Type::kText},
           {"changedAt", Type::kText},
           {"replacedAt", Type::kText},
           {"gapMicroseconds", Type::kInteger}}};
}

PageSpec ChangesPage() {
  return {"penalty-changes",
          "changes of the values of priority classes, the newest first",
          {{"class", Type::kText},
           {"at", Type::kText},
           {"before", Type::kInteger},
           {"after", Type::kInteger},
           {"cause", Type::kText},
           {"gapMicroseconds", Type::kInteger}}};
}

PageSpec SumsPage() {
  return {"penalty-sums",
          "starts and completions by queue and namespace",
          {{"kind", Type::kText},
           {"name", Type::kText},
           {"penalty", Type::kNumber},
           {"starts", Type::kInteger},
           {"completions", Type::kInteger}}};
}

PageSpec GroupsPage() {
  return {"penalty-groups",
          "PodGroups that are counted",
          {{"namespace", Type::kText},
           {"name", Type::kText},
           {"phase", Type::kText},
           {"class", Type::kText},
           {"queue", Type::kText},
           {"counted", Type::kText}}};
}

std::vector<PageSpec> PenaltyPages() {
  return {ClassesPage(), ChangesPage(), SumsPage(), GroupsPage()};
}

void AddRow(const ClassRow& row, PageTable* table) {
  const ClassAccount& account = *row.account;
  table->Add({account.name, account.base, account.written, row.penalty, account.account.starts,
              account.account.completions, row.state,
              row.next_value ? PageCell(*row.next_value) : PageCell(),
              TimeCell(row.next_at.value_or(0)), TimeCell(account.account.changed),
              TimeCell(account.replaced),
              account.replaced == 0 ? PageCell() : PageCell(account.gap_us)});
}

void FillChanges(const Ledger& ledger, PageTable* table) {
  std::vector<std::pair<const ClassAccount*, const ValueChange*>> changes;
  for (const auto& [name, account] : ledger.classes()) {
    for (const ValueChange& change : account.changes) changes.emplace_back(&account, &change);
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& a, const auto& b) { return a.second->at > b.second->at; });
  for (const auto& [account, change] : changes) {
    table->Add({account->name, TimeText(change->at), change->before, change->after, change->cause,
                change->gap_us});
  }
}

void FillSums(const Ledger& ledger, const Policy* policy, Millis now, PageTable* table) {
  FillSums("queue", ledger.queues(), policy, now, table);
  FillSums("namespace", ledger.namespaces(), policy, now, table);
}

std::string CountedText(const GroupState& state) {
  return fmt::format("{} {}", state.epoch, StageText(state.stage));
}

void AddRow(const GroupRow& row, PageTable* table) {
  table->Add({row.namespace_, row.name, TextCell(row.phase), TextCell(row.class_name),
              TextCell(row.queue), TextCell(row.counted)});
}

}  // namespace outrigger::penalty
