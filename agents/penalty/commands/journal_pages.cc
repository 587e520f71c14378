#include "penalty/commands/journal_pages.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "penalty/classes/base_value.h"
#include "penalty/classes/bounds.h"
#include "penalty/classes/edges.h"
#include "penalty/classes/journal.h"
#include "penalty/classes/journal_maps.h"
#include "penalty/classes/journal_store.h"
#include "penalty/classes/ledger.h"
#include "penalty/classes/mapping.h"
#include "penalty/classes/pages.h"
#include "penalty/commands/journal_reader.h"

namespace outrigger::cli {
namespace {

using penalty::ClassAccount;
using Classes = std::map<std::string, const PriorityClass*, std::less<>>;

struct MarkedGroup {
  const PodGroup* group = nullptr;
  absl::StatusOr<penalty::GroupState> state;
};

// Of a group without a mark nothing is counted.
penalty::GroupState StateWithoutMark(const PodGroup& group) {
  using penalty::Stage;
  switch (penalty::PhaseOf(group.phase)) {
    case penalty::Phase::kWaiting:
      return {Stage::kWaiting, 0, {}};
    case penalty::Phase::kCompleted:
      return {Stage::kCompleted, 0, {}};
    default:
      return {};
  }
}

// Groups with a mark, and those of classes with an account; in the order of namespaces and names.
std::vector<MarkedGroup> MarkedGroups(const std::vector<PodGroup>& groups,
                                      const penalty::Ledger& ledger) {
  std::vector<MarkedGroup> marked;
  for (const PodGroup& group : groups) {
    const std::string* const mark = group.annotations.Find(penalty::kCountedAnnotation);
    if (mark != nullptr) {
      marked.push_back({&group, penalty::ParseMark(*mark)});
    } else if (ledger.Find(group.priority_class_name) != nullptr) {
      marked.push_back({&group, StateWithoutMark(group)});
    }
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

// Of classes whose new pods get another one. The API server is asked: only it knows its policies.
std::map<std::string, std::string> StatesOfMapped(const PenaltyCluster& cluster,
                                                  const std::string& namespace_) {
  std::map<std::string, std::string> states;
  const auto map = cluster.maps->ReadConfigMap(
      namespace_, penalty::JournalMapName({penalty::JournalMapKind::kMapping}), {});
  if (!map.ok()) return states;
  for (const auto& [name, stand_in] : penalty::EntriesOf(*map)) {
    const auto pod = cluster.classes->TryPod(namespace_, name, {});
    if (!pod.ok()) {
      states[name] = fmt::format("mapped to {}; not tried: {}", stand_in,
                                 Printable(std::string(pod.status().message())));
    } else if (pod->priority_class_name == stand_in) {
      states[name] = "penalised";
    } else {
      states[name] = penalty::kNotMappedState;
    }
  }
  return states;
}

// As the agent has it without settings of its own.
std::optional<penalty::Floor> FloorAt(const PriorityClass* there, int64_t base,
                                      const penalty::Barriers& barriers) {
  if (there == nullptr) return std::nullopt;
  const auto bounds = penalty::ClassBoundsOf(*there, base, {}, barriers);
  return bounds.ok() ? std::optional(bounds->floor) : std::nullopt;
}

void FillClassPage(const penalty::Ledger& ledger, const Classes& classes,
                   const penalty::Barriers& barriers, const std::vector<MarkedGroup>& groups,
                   const std::map<std::string, std::string>& mapped, PageTable* table) {
  for (const auto& [name, account] : ledger.classes()) {
    const auto at = classes.find(name);
    const PriorityClass* const there = at == classes.end() ? nullptr : at->second;
    const auto state = mapped.find(name);
    const bool is_mapped = there != nullptr && state != mapped.end();
    AddRow(penalty::ClassRow{.account = &account,
                             .penalty = account.account.penalty,
                             .state = is_mapped ? state->second : ClassStateText(account, there),
                             .floor = FloorAt(there, account.base, barriers)},
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

// `mapped`: what StatesOfMapped() returns. A class that is there without an account has its value.
void FillPodPage(PenaltyObjects* objects, const std::vector<PriorityClass>& classes,
                 const penalty::Ledger& ledger, const std::map<std::string, std::string>& mapped,
                 PageTable* table, std::vector<std::string>* notes) {
  penalty::LowPods low;
  const absl::Status listed = objects->ForEachPod([&low](const Pod& pod) { low.Take(pod); });
  if (!listed.ok()) {
    notes->push_back(fmt::format("pods: {}", std::string(listed.message())));
    return;
  }
  std::map<std::string, int64_t, std::less<>> values;
  for (const auto& [name, state] : mapped) {
    const ClassAccount* const account = ledger.Find(name);
    if (account != nullptr) values[name] = account->written;
  }
  low.Fill(classes, values, table);
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
          {"groups", "PodGroups", penalty::GroupsPage()},
          {"pods", "Pods with a priority below the value of their class", penalty::PodsPage()}};
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
  const std::vector<MarkedGroup> marked = MarkedGroups(*groups, read->ledger);
  AddNotes(read->findings, marked, notes);

  std::vector<NamedPage> pages;
  for (const PenaltyPage& page : PagesOfPenalty()) {
    pages.push_back({page.key, PageTable(page.spec.columns, wish.limit)});
  }
  const auto mapped = StatesOfMapped(cluster, wish.namespace_);
  FillClassPage(read->ledger, by_name, penalty::BarriersOf(*classes, &read->ledger), marked, mapped,
                &pages[0].table);
  FillChanges(read->ledger, &pages[1].table);
  FillSums(read->ledger, nullptr, 0, &pages[2].table);
  FillGroupPage(marked, &pages[3].table);
  FillPodPage(cluster.objects, *classes, read->ledger, mapped, &pages[4].table, notes);
  return pages;
}

}  // namespace outrigger::cli
