// The stand-in's preemption: pod by pod, as DefaultPreemption of kube-scheduler does it.
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "scheduler_standin.h"

namespace outrigger::sim {

// Not while pods of lower priority are leaving the node for which it is nominated.
bool SchedulerStandIn::MayPreempt(const ScenePod& pod) const {
  const std::string& nominated = pod.pod.nominated_node_name;
  const auto& pods = scene_->pods();
  return nominated.empty() || std::none_of(pods.begin(), pods.end(), [&](const auto& entry) {
           const ScenePod& other = entry.second;
           return other.place == nominated && other.pod.being_deleted &&
                  other.pod.priority < pod.pod.priority;
         });
}

// The pods of lower priority that must go for the pod, the least important first; none: it fits
// without, or not at all.
std::vector<std::string> SchedulerStandIn::VictimsOn(const ScenePod& pod,
                                                     const SceneNode& node) const {
  if (!Scene::MayUse(pod, node)) return {};
  std::multimap<int32_t, const ScenePod*> lower;
  for (const auto& [name, other] : scene_->pods()) {
    if (other.place == node.node.name && !other.pod.being_deleted &&
        other.pod.priority < pod.pod.priority) {
      lower.emplace(other.pod.priority, &other);
    }
  }
  int64_t free = scene_->Free(node);
  std::vector<std::string> victims;
  for (const auto& [priority, other] : lower) {
    if (free >= pod.slots) break;
    free += other->slots;
    victims.push_back(other->pod.name);
  }
  return free >= pod.slots ? victims : std::vector<std::string>();
}

void SchedulerStandIn::Preempt(Cycle* cycle) {
  const ScenePod& pod = cycle->pod;
  if (!MayPreempt(pod)) return;
  std::vector<NodeVictims> candidates;
  for (const SceneNode& node : scene_->nodes()) {
    const auto& final = cycle->unresolvable;
    if (std::find(final.begin(), final.end(), &node) != final.end()) continue;
    std::vector<std::string> victims = VictimsOn(pod, node);
    if (victims.empty()) continue;
    for (std::string& victim : victims) victim = "uid-" + victim;
    candidates.push_back({node.node.name, std::move(victims), 0});
  }
  if (candidates.empty()) {
    cycle->clears_nomination = true;
    return;
  }
  std::vector<NodeVictims> chosen;
  const bool answered = extender_->Preempt({pod.pod, candidates}, &chosen).ok();
  if (!answered || chosen.empty()) return;
  const SceneNode& node = *scene_->FindNode(chosen[0].node);
  Evict(pod, node, VictimsOn(pod, node));
}

void SchedulerStandIn::Evict(const ScenePod& pod, const SceneNode& node,
                             const std::vector<std::string>& victims) {
  if (hooks_.evicts) hooks_.evicts(pod, node, victims);
  (void)scene_->Change(pod.pod.name, pod.pod.uid, "",
                       [&](Pod* changed) { changed->nominated_node_name = node.node.name; });
  for (const std::string& victim : victims) {
    (void)scene_->Change(victim, "", "", [](Pod* changed) { changed->being_deleted = true; });
    timeline_->After(options_.grace, [this, victim] { scene_->Delete(victim); });
  }
}

}  // namespace outrigger::sim
