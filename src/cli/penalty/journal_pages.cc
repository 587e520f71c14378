#include "cli/penalty/journal_pages.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "cli/penalty/journal_reader.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "outrigger/penalty/base_value.h"
#include "outrigger/penalty/edges.h"
#include "outrigger/penalty/journal.h"
#include "outrigger/penalty/journal_store.h"
#include "outrigger/penalty/ledger.h"
#include "outrigger/penalty/pages.h"

namespace outrigger::cli {
namespace {

using penalty::ClassAccount;
using Classes = std::map<std::string, const PriorityClass*, std::less<>>;

struct MarkedGroup {
  const PodGroup* group = nullptr;
  absl::StatusOr<penalty::GroupState> state;
};

// In the order of namespaces and names.
std::vector<MarkedGroup> MarkedGroups(const std::vector<PodGroup>& groups) {
  std::vector<MarkedGroup> marked;
  for (const PodGroup& group : groups) {
    const std::string* const mark = group.annotations.Find(penalty::kCountedAnnotation);
    if (mark != nullptr) marked.push_back({&group, penalty::ParseMark(*mark)});
  }
  std::sort(marked.begin(), marked.end(), [](const MarkedGroup& a, const MarkedGroup& b) {
    return std::pair(a.group->namespace_, a.group->name) <
           std::pair(b.group->namespace_, b.group->name);
  });
  return marked;
}

// A class with a penalty that the journal does not have, as the agent would take it in.
ClassAccount Rebuilt(const PriorityClass& there, const std::vector<MarkedGroup>& groups) {
  std::vector<penalty::GroupState> states;
  for (const MarkedGroup& marked : groups) {
    if (marked.state.ok() && marked.group->priority_class_name == there.name) {
      states.push_back(*marked.state);
    }
  }
  ClassAccount account = penalty::RebuildAccount(there, states, 0, 0);
  account.account.changed = 0;
  return account;
}

std::string ClassStateText(const ClassAccount& account, const PriorityClass* there) {
  if (there == nullptr) return "not in the cluster";
  if (there->value != account.written) return fmt::format("value {} in the cluster", there->value);
  return account.written == account.base ? "at base" : "penalised";
}

void FillClassPage(const penalty::Ledger& ledger, const Classes& classes,
                   const std::vector<MarkedGroup>& groups, PageTable* table) {
  for (const auto& [name, account] : ledger.classes()) {
    const auto there = classes.find(name);
    AddRow(penalty::ClassRow{.account = &account,
                             .penalty = account.account.penalty,
                             .state = ClassStateText(
                                 account, there == classes.end() ? nullptr : there->second)},
           table);
  }
  for (const auto& [name, there] : classes) {
    if (ledger.Find(name) != nullptr ||
        !there->annotations.Contains(penalty::kBaseValueAnnotation)) {
      continue;
    }
    const ClassAccount account = Rebuilt(*there, groups);
    AddRow(
        penalty::ClassRow{
            .account = &account, .penalty = account.account.penalty, .state = "not in the journal"},
        table);
  }
}

void FillGroupPage(const std::vector<MarkedGroup>& groups, PageTable* table) {
  for (const auto& [group, state] : groups) {
    AddRow(penalty::GroupRow{.namespace_ = group->namespace_,
                             .name = group->name,
                             .phase = group->phase,
                             .class_name = group->priority_class_name,
                             .queue = group->queue,
                             .counted = state.ok() ? CountedText(*state) : "malformed"},
           table);
  }
}

void AddNotes(const std::vector<penalty::JournalFinding>& findings,
              const std::vector<MarkedGroup>& groups, std::vector<std::string>* notes) {
  *notes = FindingNotes(findings);
  for (const MarkedGroup& marked : groups) {
    if (marked.state.ok()) continue;
    notes->push_back(Printable(fmt::format(
        "PodGroup {}/{}, annotation {}: {}", marked.group->namespace_, marked.group->name,
        penalty::kCountedAnnotation, std::string(marked.state.status().message()))));
  }
}

}  // namespace

std::vector<PenaltyPage> PagesOfPenalty() {
  return {{"classes", "Priority classes", penalty::ClassesPage()},
          {"changes", "Changes of their values, the newest first", penalty::ChangesPage()},
          {"sums", "Queues and namespaces", penalty::SumsPage()},
          {"groups", "PodGroups that are counted", penalty::GroupsPage()}};
}

absl::StatusOr<std::vector<NamedPage>> PagesOfJournal(const PenaltyCluster& cluster,
                                                      const JournalWish& wish,
                                                      std::vector<std::string>* notes) {
  penalty::JournalStore store(cluster.maps, wish.namespace_);
  const auto read = ReadUsableJournal(&store, wish.namespace_, wish.now, {});
  if (!read.ok()) return read.status();
  const auto classes = cluster.objects->ListClasses({});
  if (!classes.ok()) return classes.status();
  const auto groups = cluster.objects->ListGroups({});
  if (!groups.ok()) return groups.status();
  Classes by_name;
  for (const PriorityClass& one : *classes) by_name.emplace(one.name, &one);
  const std::vector<MarkedGroup> marked = MarkedGroups(*groups);
  AddNotes(read->findings, marked, notes);

  std::vector<NamedPage> pages;
  for (const PenaltyPage& page : PagesOfPenalty()) {
    pages.push_back({page.key, PageTable(page.spec.columns, wish.limit)});
  }
  FillClassPage(read->ledger, by_name, marked, &pages[0].table);
  FillChanges(read->ledger, &pages[1].table);
  FillSums(read->ledger, nullptr, 0, &pages[2].table);
  FillGroupPage(marked, &pages[3].table);
  return pages;
}

}  // namespace outrigger::cli
