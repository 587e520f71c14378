#include "class_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "outrigger/penalty/base_value.h"
#include "outrigger/penalty/class_policy.h"
#include "outrigger/penalty/eligibility.h"

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
void SetRules(const std::vector<int64_t>& others, int64_t base, const Policy& defaults,
              ClassRules* rules) {
  const PriorityClass& in_cluster = *rules->in_cluster;
  if (const auto refusal = RefusalOf(in_cluster)) {
    return LeaveAlone(refusal->reason, refusal->message, rules);
  }
  auto policy = PolicyOf(in_cluster, defaults);
  if (!policy.ok()) return LeaveAlone("annotation", std::string(policy.status().message()), rules);
  rules->policy = *std::move(policy);
  const auto bounds = BoundsOf(rules->policy, base, others);
  if (!bounds.ok()) return LeaveAlone("bounds", std::string(bounds.status().message()), rules);
  rules->bounds = *bounds;
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
  std::vector<int64_t> bases;
  bases.reserve(classes.size() + ledger.classes().size());
  for (const PriorityClass& one : classes) bases.push_back(KnownBase(one, ledger));
  // Also those that are away for a moment, or that the view does not show again yet.
  for (const auto& [name, account] : ledger.classes()) bases.push_back(account.base);
  std::sort(bases.begin(), bases.end());
  ClassTable table;
  for (const PriorityClass& one : classes) {
    ClassRules& rules = table[one.name];
    rules.in_cluster = &one;
    rules.is_selected = IsSelected(one, options);
    if (!rules.is_selected) continue;
    const int64_t base = KnownBase(one, ledger);
    // Of the other classes the next lower one alone is a bound.
    std::vector<int64_t> lower;
    const auto own = std::lower_bound(bases.begin(), bases.end(), base);
    if (own != bases.begin()) lower.push_back(*std::prev(own));
    SetRules(lower, base, options.policy, &rules);
  }
  return table;
}

bool IsPenalisedClass(const PriorityClass& priority_class, const Options& options) {
  return SelectionOf(priority_class, options.selector) == Selection::kSelected ||
         priority_class.annotations.Find(kBaseValueAnnotation) != nullptr;
}

}  // namespace outrigger::penalty
