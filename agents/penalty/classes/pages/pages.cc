#include "penalty/classes/pages.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "penalty/classes/mapping.h"
#include "penalty/classes/policy/text.h"

namespace outrigger::penalty {
namespace {

using Type = PageColumn::Type;

constexpr size_t kNamedPods = 3;

std::string_view StageText(Stage stage) {
  switch (stage) {
    case Stage::kNew:
      break;
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

void FillSums(std::string_view kind, const Sums& sums, const Policy* policy, Millis now,
              PageTable* table) {
  for (const auto& [name, account] : sums) {
    const double penalty = policy == nullptr ? account.penalty : PenaltyAt(account, *policy, now);
    table->Add({std::string(kind), name, penalty, account.starts, account.completions});
  }
}

std::map<std::string_view, const PriorityClass*> ByName(const std::vector<PriorityClass>& classes) {
  std::map<std::string_view, const PriorityClass*> by_name;
  for (const PriorityClass& one : classes) by_name.emplace(one.name, &one);
  return by_name;
}

// The class whose pods name this one: itself, or the one that it stands in for.
std::string ClassOf(const std::string& name, const std::vector<PriorityClass>& classes,
                    const std::map<std::string_view, const PriorityClass*>& by_name) {
  if (const auto there = by_name.find(name); there != by_name.end()) {
    const std::string_view of = StandsFor(*there->second);
    return of.empty() ? name : std::string(of);
  }
  for (const PriorityClass& one : classes) {
    if (CarriedBy(name, one.name)) return one.name;
  }
  return name;
}

}  // namespace

PageSpec ClassesPage() {
  return {"penalty",
          "priority classes, their values and penalties",
          {{"class", Type::kText, "name of the PriorityClass"},
           {"base", Type::kInteger, "its value without a penalty"},
           {"value", Type::kInteger, "its value now, as written: base less penalty, rounded"},
           {"penalty", Type::kNumber, "points that are taken off now; they recover with time"},
           {"floor", Type::kInteger,
            "the value never goes below it; none: the class is left alone, or not known"},
           {"floorOf", Type::kText,
            "what is below it: a class, another program, or setting floor; none: nothing is"},
           {"starts", Type::kInteger, "starts of PodGroups that were counted"},
           {"completions", Type::kInteger, "completions of PodGroups that were counted"},
           {"state", Type::kText,
            "at base, penalised (it begins to recover after grace), recovers, writes, or why it is "
            "left alone"},
           {"nextValue", Type::kInteger, "value that is written next"},
           {"nextAt", Type::kText,
            "when it is written if nothing starts or completes until then, RFC 3339"},
           {"changedAt", Type::kText, "when a start or completion was counted last, RFC 3339"},
           {"replacedAt", Type::kText, "when the value was written last, RFC 3339"},
           {"gapMicroseconds", Type::kInteger,
            "how long the class was away when it was replaced last"}}};
}

PageSpec ChangesPage() {
  return {"penalty-changes",
          "the last 100 changes of the value of each priority class, the newest first",
          {{"class", Type::kText, "name of the PriorityClass"},
           {"at", Type::kText, "when the value changed, RFC 3339"},
           {"before", Type::kInteger, "value before the change"},
           {"after", Type::kInteger, "value after the change"},
           {"cause", Type::kText, "why: a start or completion and its PodGroup, or recovery"},
           {"gapMicroseconds", Type::kInteger, "how long the class was away between the two"}}};
}

PageSpec SumsPage() {
  return {"penalty-sums",
          "starts and completions by queue and namespace",
          {{"kind", Type::kText, "queue or namespace"},
           {"name", Type::kText, "name of the queue or of the namespace"},
           {"penalty", Type::kNumber,
            "points that its PodGroups have added to classes, less what has recovered since"},
           {"starts", Type::kInteger, "starts of its PodGroups that were counted"},
           {"completions", Type::kInteger, "completions of its PodGroups that were counted"}}};
}

PageSpec GroupsPage() {
  return {"penalty-groups",
          "PodGroups of penalised classes, and their counts",
          {{"namespace", Type::kText, "namespace of the PodGroup"},
           {"name", Type::kText, "name of the PodGroup"},
           {"phase", Type::kText, "its phase, as Volcano writes it"},
           {"class", Type::kText, "its PriorityClass, which pays for it"},
           {"queue", Type::kText, "its Volcano queue"},
           {"counted", Type::kText,
            "run and what of it is counted, such as 2 started; waiting and completed before: "
            "nothing is"}}};
}

PageSpec PodsPage() {
  return {"penalty-pods",
          "classes with pods whose priority is below the value of the class",
          {{"class", Type::kText, "name of the PriorityClass"},
           {"value", Type::kInteger, "priority that new pods of the class get"},
           {"pods", Type::kInteger, "unfinished pods whose priority is below that"},
           {"lowest", Type::kInteger, "lowest priority of these pods"},
           {"examples", Type::kText, "up to three of these pods, each with its priority"}}};
}

std::vector<PageSpec> PenaltyPages() {
  return {ClassesPage(), ChangesPage(), SumsPage(), GroupsPage(), PodsPage()};
}

void AddRow(const ClassRow& row, PageTable* table) {
  const ClassAccount& account = *row.account;
  table->Add({account.name, account.base, account.written, row.penalty,
              row.floor ? PageCell(row.floor->value) : PageCell(),
              row.floor ? TextOrAbsent(row.floor->of) : PageCell(), account.account.starts,
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
  if (state.stage == Stage::kNew) return "new";
  if (state.epoch == 0) return state.stage == Stage::kWaiting ? "waiting" : "completed before";
  const bool may_go_on = state.stage == Stage::kWaiting && state.completion != Added();
  return fmt::format("{} {}{}", state.epoch, StageText(state.stage), may_go_on ? ", goes on" : "");
}

void AddRow(const GroupRow& row, PageTable* table) {
  table->Add({row.namespace_, row.name, TextOrAbsent(row.phase), TextOrAbsent(row.class_name),
              TextOrAbsent(row.queue), TextOrAbsent(row.counted)});
}

void LowPods::Take(const Pod& pod) {
  if (pod.IsFinished()) return;
  Pods& pods = pods_[pod.priority_class_name][pod.priority];
  ++pods.count;
  if (pods.first.size() < kNamedPods) {
    pods.first.push_back(fmt::format("{}/{}", pod.namespace_, pod.name));
  }
}

void LowPods::Fill(const std::vector<PriorityClass>& classes,
                   const std::map<std::string, int64_t, std::less<>>& mapped,
                   PageTable* table) const {
  const std::map<std::string_view, const PriorityClass*> by_name = ByName(classes);
  std::map<std::string, Numbers, std::less<>> of_class;
  for (const auto& [name, numbers] : pods_) {
    Numbers& all = of_class[ClassOf(name, classes, by_name)];
    for (const auto& [number, pods] : numbers) {
      all[number].count += pods.count;
      all[number].first.insert(all[number].first.end(), pods.first.begin(), pods.first.end());
    }
  }
  for (const PriorityClass& one : classes) {
    const auto numbers = of_class.find(one.name);
    if (numbers == of_class.end()) continue;
    const auto value = mapped.find(one.name);
    AddRow(one.name, value == mapped.end() ? one.value : value->second, numbers->second, table);
  }
}

void LowPods::AddRow(const std::string& class_name, int64_t value, const Numbers& numbers,
                     PageTable* table) {
  int64_t count = 0;
  std::vector<std::string> examples;
  for (const auto& [priority, pods] : numbers) {
    if (priority >= value) break;
    count += pods.count;
    for (const std::string& pod : pods.first) {
      if (examples.size() < kNamedPods) examples.push_back(fmt::format("{} {}", pod, priority));
    }
  }
  if (count == 0) return;
  table->Add({class_name, value, count, numbers.begin()->first,
              fmt::format("{}", fmt::join(examples, ", "))});
}

}  // namespace outrigger::penalty
