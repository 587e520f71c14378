#include "gang/desk/nominations/spec_refusals.h"

#include <algorithm>
#include <utility>

#include "gang/desk/board/same_pod.h"
#include "gang/desk/nominations/waits.h"

namespace outrigger::desk {

// Pods of one controller differ in labels that number them.
bool SpecRefusals::AreFor(const Pod& pod) const {
  const bool same_controller =
      pod.controller && example_->controller && pod.controller->uid == example_->controller->uid;
  return pod.scheduler_name == example_->scheduler_name &&
         (same_controller || pod.labels == example_->labels) && AskNodesTheSame(*example_, pod);
}

void SpecRefusals::Add(const Node& node, Time now) {
  entries_[node.name] = {node.revision, now + kLongestRest};
  nodes_.reset();
}

void SpecRefusals::Update(const ClusterSnapshot& snapshot, Time now) {
  const size_t gone = absl::erase_if(entries_, [&](const auto& entry) {
    if (now >= entry.second.until) return true;
    const auto node = snapshot.FindNode(entry.first);
    return !node || node->node().revision != entry.second.revision;
  });
  if (gone > 0) nodes_.reset();
}

std::shared_ptr<const std::vector<std::string>> SpecRefusals::nodes() {
  if (nodes_ != nullptr || entries_.empty()) return nodes_;
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  std::sort(names.begin(), names.end());
  nodes_ = std::make_shared<const std::vector<std::string>>(std::move(names));
  return nodes_;
}

std::optional<Time> SpecRefusals::FirstEnd() const {
  std::optional<Time> first;
  for (const auto& [name, entry] : entries_)
    first = std::min(first.value_or(entry.until), entry.until);
  return first;
}

bool HangsOnOtherPods(const Pod& pod) {
  const Affinity& affinity = pod.affinity;
  return !pod.topology_spread.empty() || !affinity.required_pod.empty() ||
         !affinity.required_pod_anti.empty();
}

}  // namespace outrigger::desk
