#include "class_table.h"

#include <utility>

#include "penalty/classes/base_value.h"
#include "penalty/classes/class_policy.h"
#include "penalty/classes/eligibility.h"
#include "penalty/classes/mapping.h"

namespace outrigger::penalty {
namespace {

int64_t KnownBase(const PriorityClass& priority_class, const Ledger& ledger) {
  const ClassAccount* const account = ledger.Find(priority_class.name);
  return account != nullptr ? account->base : BaseOf(priority_class).base;
}

void LeaveAlone(std::string_view reason, std::string_view message, ClassRules* rules) {
  rules->reason = reason;
  rules->message = message;
}

// In the order in which a person mends them: what the class is, then what its annotations say.
void SetRules(const Barriers& barriers, int64_t base, const Options& options, ClassRules* rules) {
  const PriorityClass& in_cluster = *rules->in_cluster;
  const Purpose purpose = options.mapped ? Purpose::kMap : Purpose::kPenalise;
  if (const auto refusal = RefusalOf(in_cluster, purpose)) {
    return LeaveAlone(refusal->reason, refusal->message, rules);
  }
  auto bounds = ClassBoundsOf(in_cluster, base, options.policy, barriers);
  if (!bounds.ok()) {
    return LeaveAlone(absl::IsInvalidArgument(bounds.status()) ? "annotation" : "bounds",
                      std::string(bounds.status().message()), rules);
  }
  rules->policy = bounds->policy;
  rules->bounds = bounds->bounds;
  rules->room = std::move(bounds->room);
  rules->floor_of = std::move(bounds->floor.of);
}

// Also a class that is never touched, so that people hear why it is not.
bool IsSelected(const PriorityClass& priority_class, const Options& options) {
  switch (SelectionOf(priority_class, options.selector)) {
    case Selection::kSelected:
      return true;
    case Selection::kSystem:
    case Selection::kGlobalDefault:
      return options.selector && options.selector->Matches(priority_class.labels);
    case Selection::kNotSelected:
    case Selection::kIgnored:
      return false;
  }
  return false;
}

}  // namespace

ClassTable MakeClassTable(const std::vector<PriorityClass>& classes, const Ledger& ledger,
                          const Options& options) {
  const Barriers barriers = BarriersOf(classes, &ledger);
  ClassTable table;
  for (const PriorityClass& one : classes) {
    ClassRules& rules = table[one.name];
    rules.in_cluster = &one;
    rules.stands_for = StandsFor(one);
    rules.is_selected = rules.stands_for.empty() && IsSelected(one, options);
    if (!rules.is_selected) continue;
    SetRules(barriers, KnownBase(one, ledger), options, &rules);
  }
  return table;
}

bool IsPenalisedClass(const PriorityClass& priority_class, const Options& options) {
  const Selection selection = SelectionOf(priority_class, options.selector);
  return selection == Selection::kSelected ||
         (selection == Selection::kGlobalDefault && IsSelected(priority_class, options)) ||
         priority_class.annotations.Find(kBaseValueAnnotation) != nullptr;
}

}  // namespace outrigger::penalty
