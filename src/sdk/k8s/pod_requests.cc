// What a pod asks of a node: k8s.io/component-helpers/resource.

#include <algorithm>

#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/resources.h"

namespace outrigger {
namespace {

// The resources that KEP-2837 lets a pod request as a whole; upstream ignores others there.
bool IsPodLevelResource(std::string_view name) {
  return name == kCpu || name == kMemory || name.starts_with("hugepages-");
}

// What counts of a resize that is under way.
ResourceList Effective(const Pod& pod, const ResourceList& spec, const ResourceList& actual,
                       const ResourceList& allocated) {
  ResourceList effective = actual;
  if (!pod.resize_infeasible) {
    effective = spec;
    effective.Max(actual);
  }
  effective.Max(allocated);
  return effective;
}

const ContainerStatus* Find(const std::vector<ContainerStatus>& statuses, std::string_view name) {
  // Of several with one name the last one counts, as in upstream's map.
  const auto found =
      std::find_if(statuses.rbegin(), statuses.rend(),
                   [&](const ContainerStatus& status) { return status.name == name; });
  return found == statuses.rend() ? nullptr : &*found;
}

ResourceList RequestsInSpec(const Pod&, const Container& container) {
  return container.requests;
}

ResourceList RequestsOnNode(const Pod& pod, const Container& container) {
  const ContainerStatus* status = Find(pod.init_container_statuses, container.name);
  if (status == nullptr) status = Find(pod.container_statuses, container.name);
  if (status == nullptr) return container.requests;
  return Effective(pod, container.requests, status->requests, status->allocated);
}

// The containers' part; `requests_of` says what one counts with that stays.
template <typename RequestsOf>
ResourceList ContainerRequests(const Pod& pod, RequestsOf requests_of) {
  ResourceList running;
  for (const Container& container : pod.containers) running.Add(requests_of(pod, container));

  ResourceList sidecars;
  ResourceList starting;  // the most that any init container needs, with the sidecars before it
  for (const Container& container : pod.init_containers) {
    if (container.restart_always) {
      const ResourceList requests = requests_of(pod, container);
      running.Add(requests);
      sidecars.Add(requests);
      starting.Max(sidecars);
    } else {
      ResourceList needed = container.requests;
      needed.Add(sidecars);
      starting.Max(needed);
    }
  }
  running.Max(starting);
  return running;
}

// Lets what the pod requests as a whole replace the sum.
void ReplaceByPodLevel(const ResourceList& requested, const ResourceList& counted,
                       ResourceList* sum) {
  for (const auto& [name, quantity] : requested) {
    if (IsPodLevelResource(name)) sum->Append(name, counted.Get(name));
  }
  sum->Normalize();  // what was appended last replaces the sum
}

}  // namespace

ResourceList PodRequests(const Pod& pod) {
  ResourceList sum = ContainerRequests(pod, RequestsInSpec);
  if (pod.pod_requests.has_value()) ReplaceByPodLevel(*pod.pod_requests, *pod.pod_requests, &sum);
  sum.Add(pod.overhead);
  return sum;
}

ResourceList PodRequestsOnNode(const Pod& pod) {
  ResourceList sum = ContainerRequests(pod, RequestsOnNode);
  if (pod.pod_requests.has_value()) {
    const ResourceList counted =
        pod.status_requests.has_value()
            ? Effective(pod, *pod.pod_requests, *pod.status_requests, pod.status_allocated)
            : *pod.pod_requests;
    ReplaceByPodLevel(*pod.pod_requests, counted, &sum);
  }
  sum.Add(pod.overhead);
  return sum;
}

}  // namespace outrigger
