#include "outrigger/plan/order.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "fmt/format.h"
#include "plan/groups/integer.h"

namespace outrigger::plan {
namespace {

// The one node whose name a term asks for, as the DaemonSet controller writes it, or nullptr.
const std::string* NodeNamedBy(const NodeSelectorTerm& term) {
  const auto named =
      std::find_if(term.match_fields.begin(), term.match_fields.end(), [](const auto& field) {
        return field.key == "metadata.name" && field.op == SelectorOperator::kIn &&
               field.values.size() == 1;
      });
  return named == term.match_fields.end() ? nullptr : &named->values.front();
}

}  // namespace

std::strong_ordering operator<=>(const Rank& a, const Rank& b) {
  // What is descending stands on the other side.
  return std::tie(b.first, b.group_priority, b.priority, a.turn, b.qos, a.created, a.namespace_,
                  a.name, a.uid) <=> std::tie(a.first, a.group_priority, a.priority, b.turn, a.qos,
                                              b.created, b.namespace_, b.name, b.uid);
}

int64_t GroupPriorityOf(const StringMap& labels, const UnitKey& about, Notes* notes) {
  const std::string* const text = labels.Find(kGroupPriorityLabel);
  if (text == nullptr) return 0;
  const auto value = IntegerOf(*text);
  if (!value && notes != nullptr) {
    notes->Add(NoteKind::kGroupPriority, TextOf(about),
               fmt::format("label {} is \"{}\", expected an integer of 64 bits; 0 counts",
                           kGroupPriorityLabel, *text));
  }
  return value.value_or(0);
}

std::weak_ordering ComparePods(const Pod& a, const Pod& b) {
  const auto key = [](const Pod& pod) {
    return std::tuple(GroupPriorityOf(pod.labels, {}, nullptr), QosClassOf(pod));
  };
  return key(b) <=> key(a);
}

bool IsForOneNode(const Pod& pod) {
  if (!pod.affinity.required_node) return false;
  const auto& terms = pod.affinity.required_node->terms;
  const std::string* const node = terms.empty() ? nullptr : NodeNamedBy(terms.front());
  return node != nullptr && std::all_of(terms.begin(), terms.end(), [&](const auto& term) {
           const std::string* const other = NodeNamedBy(term);
           return other != nullptr && *other == *node;
         });
}

}  // namespace outrigger::plan
