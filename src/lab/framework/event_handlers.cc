#include "lab/framework/event_handlers.h"

#include <utility>
#include <vector>

namespace outrigger::lab {
namespace {

using Resource = ClusterEvent::Resource;

std::string KeyOf(std::string_view namespace_, std::string_view name) {
  return std::string(namespace_).append("/").append(name);
}

/// True if the pod takes room on a node.
bool IsAssigned(const Pod& pod) {
  return !pod.node_name.empty() && !pod.IsFinished();
}

bool SameVersion(const Pod& a, const Pod& b) {
  return !a.resource_version.empty() && a.resource_version == b.resource_version;
}

}  // namespace

EventHandlers::EventHandlers(std::string scheduler_name, bool wakes, NodeCache* nodes,
                             PodQueue* queue, WaitingPods* waiting)
    : scheduler_name_(std::move(scheduler_name)),
      wakes_(wakes),
      nodes_(nodes),
      queue_(queue),
      waiting_(waiting) {}

void EventHandlers::OnNode(Node node) {
  const Node after = node;
  // The cache first: a pod that wakes must see the node as it is now.
  const std::shared_ptr<const Node> before = nodes_->Upsert(std::move(node));
  if (before == nullptr) {
    Report({Resource::kNode, ClusterEvent::kAdd});
    return;
  }
  for (const ClusterEvent& change : ChangesOf(*before, after)) Report(change);
}

void EventHandlers::OnNodeGone(std::string_view name) {
  if (nodes_->Remove(name) != nullptr) Report({Resource::kNode, ClusterEvent::kDelete});
}

void EventHandlers::OnPod(const Pod& pod) {
  const auto after = std::make_shared<const Pod>(pod);
  const PodPtr before =
      Exchange(KeyOf(pod.namespace_, pod.name), pod.IsFinished() ? nullptr : after);
  if (before != nullptr && SameVersion(*before, *after)) return;
  if (before != nullptr && before->uid != after->uid) {
    // Its end was missed: another pod has its name by now.
    OnChange(before, nullptr);
    OnChange(nullptr, after);
    return;
  }
  OnChange(before, after);
}

void EventHandlers::OnPodGone(std::string_view namespace_, std::string_view name) {
  const PodPtr before = Exchange(KeyOf(namespace_, name), nullptr);
  if (before != nullptr) OnChange(before, nullptr);
}

EventHandlers::PodPtr EventHandlers::Exchange(const std::string& key, PodPtr now) {
  const MutexLock lock(mutex_);
  const auto at = pods_.try_emplace(key).first;
  PodPtr before = std::exchange(at->second, std::move(now));
  if (at->second == nullptr) pods_.erase(at);
  return before;
}

void EventHandlers::OnChange(const PodPtr& before, const PodPtr& after) {
  UpdateQueue(before, after);
  ReportAssigned(before, after);
}

void EventHandlers::UpdateQueue(const PodPtr& before, const PodPtr& after) {
  const bool was_ours = before != nullptr && IsOurs(*before);
  const bool is_ours = after != nullptr && IsOurs(*after);
  if (is_ours) {
    was_ours ? queue_->Update(before, after) : queue_->Add(after);
    return;
  }
  if (!was_ours) return;
  // The queue first: once it is rejected the pod is on its way back there, and must not be taken.
  queue_->Delete(*before);
  // Where we bound the pod ourselves it does not wait any more, and this does nothing.
  const bool bound = after != nullptr && IsAssigned(*after);
  waiting_->Reject(
      before->uid, "",
      bound ? "pod was bound to " + after->node_name + " by others" : "pod was deleted");
}

void EventHandlers::ReportAssigned(const PodPtr& before, const PodPtr& after) {
  const bool was_assigned = before != nullptr && IsAssigned(*before);
  const bool is_assigned = after != nullptr && IsAssigned(*after);
  if (was_assigned != is_assigned) {
    Report({Resource::kAssignedPod, is_assigned ? ClusterEvent::kAdd : ClusterEvent::kDelete});
  } else if (is_assigned) {
    for (const ClusterEvent& change : ChangesOf(*before, *after)) {
      Report({Resource::kAssignedPod, change.actions});
    }
  }
}

void EventHandlers::Report(const ClusterEvent& event) {
  if (wakes_) queue_->OnEvent(event);
}

bool EventHandlers::IsOurs(const Pod& pod) const {
  return pod.scheduler_name == scheduler_name_ && pod.node_name.empty() && !pod.IsFinished() &&
         !pod.being_deleted && pod.scheduling_gates.empty();
}

}  // namespace outrigger::lab
