#include <algorithm>
#include <optional>

#include "gang/plan/order.h"

namespace outrigger::plan {
namespace {

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

QosClass QosClassOf(const Pod& pod) {
  if (pod.qos_class == "Guaranteed") return QosClass::kGuaranteed;
  if (pod.qos_class == "Burstable") return QosClass::kBurstable;
  if (pod.qos_class == "BestEffort") return QosClass::kBestEffort;
  return Computed(pod);
}

}  // namespace outrigger::plan
