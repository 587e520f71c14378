#include "gang/plan/order.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>

#include "fmt/format.h"
#include "gang/plan/groups/gang.h"
#include "gang/plan/groups/integer.h"

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

// One resource of one set of requests and limits: amounts that differ, none, or equal ones.
QosClass ClassOf(const Quantity& request, const Quantity& limit) {
  if (request != limit) return QosClass::kBurstable;
  return request.IsZero() ? QosClass::kBestEffort : QosClass::kGuaranteed;
}

QosClass Joined(QosClass a, QosClass b) {
  return a == b ? a : QosClass::kBurstable;
}

QosClass ClassOf(const ResourceList& requests, const ResourceList& limits) {
  return Joined(ClassOf(requests.Get(kCpu), limits.Get(kCpu)),
                ClassOf(requests.Get(kMemory), limits.Get(kMemory)));
}

// As IsPodLevelResourcesSet(); Kubernetes before 1.37 looked at an empty spec.resources, too.
bool HasPodLevel(const std::optional<ResourceList>& list) {
  return list && std::any_of(list->begin(), list->end(), [](const auto& entry) {
           return entry.name == kCpu || entry.name == kMemory ||
                  entry.name.starts_with("hugepages-");
         });
}

QosClass Computed(const Pod& pod) {
  if (HasPodLevel(pod.pod_requests) || HasPodLevel(pod.pod_limits)) {
    const ResourceList none;
    return ClassOf(pod.pod_requests ? *pod.pod_requests : none,
                   pod.pod_limits ? *pod.pod_limits : none);
  }
  std::optional<QosClass> all;
  for (const auto* containers : {&pod.containers, &pod.init_containers}) {
    for (const Container& container : *containers) {
      const QosClass one = ClassOf(container.requests, container.limits);
      all = all ? Joined(*all, one) : one;
    }
  }
  return all.value_or(QosClass::kBestEffort);
}

}  // namespace

std::strong_ordering operator<=>(const Rank& a, const Rank& b) {
  // What is descending stands on the other side. The last two only make unequal ranks differ.
  const int32_t priority_of_a = a.ordered_priority();
  const int32_t priority_of_b = b.ordered_priority();
  return std::tie(b.first, b.group_priority, priority_of_b, b.in_part, a.turn, b.qos, a.created,
                  a.namespace_, a.name, a.uid, b.priority, b.by_priority) <=>
         std::tie(a.first, a.group_priority, priority_of_a, a.in_part, b.turn, a.qos, b.created,
                  b.namespace_, b.name, b.uid, a.priority, a.by_priority);
}

std::optional<int64_t> ReadGroupPriority(const StringMap& labels) {
  const std::string* const text = labels.Find(kGroupPriorityLabel);
  return text == nullptr ? 0 : IntegerOf(*text);
}

int64_t GroupPriorityOf(const StringMap& labels, const UnitKey& about, Notes* notes) {
  const auto value = ReadGroupPriority(labels);
  if (!value && notes != nullptr) {
    notes->Add(NoteKind::kGroupPriority, TextOf(about),
               fmt::format("label {} is \"{}\", expected an integer of 64 bits; 0 counts",
                           kGroupPriorityLabel, labels.Get(kGroupPriorityLabel).substr(0, 64)));
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

bool IsNeverHeld(const Pod& pod) {
  const bool of_daemon_set = pod.controller && pod.controller->kind == "DaemonSet" &&
                             pod.controller->api_version.starts_with("apps/");
  return pod.priority >= kSystemCriticalPriority || of_daemon_set ||
         pod.annotations.Contains(kMirrorAnnotation);
}

Rank RankOf(const Pod& pod, bool by_priority, Notes* notes) {
  const UnitKey key = {Dialect::kNone, pod.namespace_, pod.name, pod.uid};
  return {.first = IsNeverHeld(pod),
          .group_priority = GroupPriorityOf(pod.labels, key, notes),
          .priority = pod.priority,
          .by_priority = by_priority,
          .qos = QosClassOf(pod),
          .created = pod.creation_time,
          .namespace_ = pod.namespace_,
          .name = pod.name,
          .uid = pod.uid};
}

QosClass QosClassOf(const Pod& pod) {
  if (pod.qos_class == "Guaranteed") return QosClass::kGuaranteed;
  if (pod.qos_class == "Burstable") return QosClass::kBurstable;
  if (pod.qos_class == "BestEffort") return QosClass::kBestEffort;
  return Computed(pod);
}

}  // namespace outrigger::plan
