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

using RequestsOf = ResourceList (*)(const Pod& pod, const Container& container);

const ContainerStatus* StatusOf(const Pod& pod, const Container& container) {
  const ContainerStatus* status = Find(pod.init_container_statuses, container.name);
  return status != nullptr ? status : Find(pod.container_statuses, container.name);
}

ResourceList RequestsInSpec(const Pod&, const Container& container) {
  return container.requests;
}

ResourceList LargestRequests(const Pod& pod, const Container& container) {
  const ContainerStatus* status = StatusOf(pod, container);
  if (status == nullptr || !status->requests) return container.requests;
  return Effective(pod, container.requests, *status->requests, status->allocated);
}

// What is not reported is what the spec says; the spec says nothing once the kubelet refused it.
ResourceList AllocatedRequests(const Pod& pod, const Container& container) {
  const ContainerStatus* status = StatusOf(pod, container);
  if (status != nullptr && !status->allocated.empty()) return status->allocated;
  return pod.resize_infeasible ? ResourceList() : container.requests;
}

ResourceList ActuatedRequests(const Pod& pod, const Container& container) {
  const ContainerStatus* status = StatusOf(pod, container);
  const bool is_reported = status != nullptr && status->requests && !status->requests->empty();
  return is_reported ? *status->requests : AllocatedRequests(pod, container);
}

// The containers' part: what one counts with, and what an init container counts with that ends.
ResourceList ContainerRequests(const Pod& pod, RequestsOf requests_of, RequestsOf ending_of) {
  ResourceList running;
  for (const Container& container : pod.containers) running.Add(requests_of(pod, container));

  ResourceList sidecars;
  ResourceList starting;  // the most that any init container needs, with the sidecars before it
  for (const Container& container : pod.init_containers) {
    ResourceList needed = (container.restart_always ? requests_of : ending_of)(pod, container);
    if (container.restart_always) {
      running.Add(needed);
      sidecars.Add(needed);
      starting.Max(sidecars);
    } else {
      needed.Add(sidecars);
      starting.Max(needed);
    }
  }
  running.Max(starting);
  return running;
}

ResourceList SumOf(const Pod& pod, RequestsOf requests_of) {
  return ContainerRequests(pod, requests_of, requests_of);
}

// The largest of three sums over the pod, not the sum of what is largest per container.
ResourceList LargestSums(const Pod& pod) {
  ResourceList largest;
  if (!pod.resize_infeasible) largest = SumOf(pod, RequestsInSpec);
  const bool has_sums =
      !pod.status_allocated.empty() && pod.status_requests && !pod.status_requests->empty();
  largest.Max(has_sums ? pod.status_allocated : SumOf(pod, AllocatedRequests));
  largest.Max(has_sums ? *pod.status_requests : SumOf(pod, ActuatedRequests));
  return largest;
}

// Lets amounts of the pod as a whole replace the sum.
void ReplaceByPodLevel(const ResourceList& counted, ResourceList* sum) {
  for (const auto& [name, quantity] : counted) {
    if (IsPodLevelResource(name)) sum->Append(name, quantity);
  }
  sum->Normalize();  // what was appended last replaces the sum
}

bool RequestsAsAWhole(const Pod& pod) {
  return pod.pod_requests &&
         std::any_of(pod.pod_requests->begin(), pod.pod_requests->end(),
                     [](const auto& entry) { return IsPodLevelResource(entry.name); });
}

ResourceList CountedByContainer(const Pod& pod) {
  ResourceList sum = ContainerRequests(pod, LargestRequests, RequestsInSpec);
  if (!RequestsAsAWhole(pod)) return sum;
  if (!pod.status_requests) {
    ReplaceByPodLevel(*pod.pod_requests, &sum);
    return sum;
  }
  const ResourceList effective =
      Effective(pod, *pod.pod_requests, *pod.status_requests, pod.status_allocated);
  ResourceList counted;  // no more than what the spec names
  for (const auto& [name, quantity] : *pod.pod_requests) counted.Append(name, effective.Get(name));
  ReplaceByPodLevel(counted, &sum);
  return sum;
}

ResourceList CountedByPod(const Pod& pod) {
  ResourceList sum = LargestSums(pod);
  if (!RequestsAsAWhole(pod)) return sum;
  ReplaceByPodLevel(pod.status_requests ? Effective(pod, *pod.pod_requests, *pod.status_requests,
                                                    pod.status_allocated)
                                        : *pod.pod_requests,
                    &sum);
  return sum;
}

bool HasStatusOfResources(const Pod& pod) {
  return pod.resize_infeasible || pod.status_requests || !pod.status_allocated.empty() ||
         !pod.container_statuses.empty() || !pod.init_container_statuses.empty();
}

}  // namespace

ResourceList PodRequests(const Pod& pod) {
  ResourceList sum = SumOf(pod, RequestsInSpec);
  if (pod.pod_requests) ReplaceByPodLevel(*pod.pod_requests, &sum);
  sum.Add(pod.overhead);
  return sum;
}

ResourceList PodRequestsOnNode(const Pod& pod) {
  if (!HasStatusOfResources(pod)) return PodRequests(pod);
  const bool by_pod = pod.resize_counting == ResizeCounting::kByPod;
  ResourceList sum = by_pod ? CountedByPod(pod) : CountedByContainer(pod);
  sum.Add(pod.overhead);
  return sum;
}

}  // namespace outrigger
