#include "gang/desk/nominations/refusals.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gang/desk/nominations/waits.h"
#include "gang/plan/room.h"
#include "sdk/base/backoff.h"

namespace outrigger::desk {
namespace {

constexpr std::chrono::seconds kFirstRefused{30};
constexpr std::chrono::seconds kLongestRefused{600};

bool TolerateTheSame(const Pod& a, const Pod& b) {
  return std::equal(a.tolerations.begin(), a.tolerations.end(), b.tolerations.begin(),
                    b.tolerations.end(), [](const Toleration& x, const Toleration& y) {
                      return x.key == y.key && x.value == y.value && x.exists == y.exists &&
                             x.effect == y.effect;
                    });
}

bool UseTheSamePorts(const Pod& a, const Pod& b) {
  return std::equal(a.host_ports.begin(), a.host_ports.end(), b.host_ports.begin(),
                    b.host_ports.end(), [](const HostPort& x, const HostPort& y) {
                      return x.port == y.port && x.protocol == y.protocol && x.ip == y.ip;
                    });
}

bool RequestTheSame(const Pod& a, const Pod& b) {
  const ResourceList x = RequestsOf(a);
  const ResourceList y = RequestsOf(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end());
}

}  // namespace

uint64_t StampOf(const ClusterSnapshot& snapshot, const std::string& node) {
  const auto room = plan::RoomOn(snapshot, node);
  return room ? room->stamp : 0;
}

bool PodRefusals::Add(Refusal refusal, Time now) {
  const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.refusal.node == refusal.node;
  });
  int64_t times = 1;
  if (known != entries_.end()) {
    const bool same =
        known->refusal.stamp == refusal.stamp && AskTheSame(known->refusal.pod, refusal.pod);
    if (same && now < known->until) return false;
    if (same) times = known->times + 1;
    entries_.erase(known);
  }
  auto holds = Backoff<std::chrono::seconds>::After(times, kFirstRefused, kLongestRefused);
  // Of many nodes, which are tried one a minute in the end, the first is not tried again before the
  // last one was tried at all.
  const auto nodes = static_cast<int64_t>(entries_.size()) + 1;
  if (nodes >= kRefusalsAtOnce) holds = std::max(holds, 2 * nodes * kLongestRest);
  entries_.push_back({std::move(refusal), times, now + holds, /*over=*/false});
  return true;
}

std::vector<std::string> PodRefusals::TakeChanged(const ClusterSnapshot& snapshot,
                                                  const PodPtr& pod) {
  std::vector<std::string> nodes;
  std::erase_if(entries_, [&](const Entry& entry) {
    const Refusal& refusal = entry.refusal;
    const bool changed = StampOf(snapshot, refusal.node) != refusal.stamp ||
                         (refusal.pod != nullptr && !AskTheSame(refusal.pod, pod));
    if (changed && !entry.over) nodes.push_back(refusal.node);
    return changed;
  });
  return nodes;
}

int64_t PodRefusals::ForgetSilent() {
  return static_cast<int64_t>(
      std::erase_if(entries_, [](const Entry& entry) { return entry.refusal.silent; }));
}

bool PodRefusals::Clear() {
  return !std::exchange(entries_, {}).empty();
}

std::vector<std::string> PodRefusals::Nodes(Time now) const {
  std::vector<std::string> nodes;
  for (const Entry& entry : entries_) {
    if (now < entry.until) nodes.push_back(entry.refusal.node);
  }
  return nodes;
}

std::vector<std::string> PodRefusals::TakeOver(Time now) {
  std::vector<std::string> nodes;
  for (Entry& entry : entries_) {
    if (now >= entry.until && !std::exchange(entry.over, true)) nodes.push_back(entry.refusal.node);
  }
  return nodes;
}

std::optional<Time> PodRefusals::FirstEnd(Time now) const {
  std::optional<Time> first;
  for (const Entry& entry : entries_) {
    if (now < entry.until && (!first || entry.until < *first)) first = entry.until;
  }
  return first;
}

bool PodRefusals::AwaitsAsk(Time now) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return entry.refusal.silent && now < entry.until; });
}

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

bool AskNodesTheSame(const Pod& a, const Pod& b) {
  return a.node_selector == b.node_selector &&
         a.affinity.required_node == b.affinity.required_node && UseTheSamePorts(a, b) &&
         TolerateTheSame(a, b) && RequestTheSame(a, b);
}

bool AskTheSame(const PodPtr& a, const PodPtr& b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr) return false;
  // Nothing else of a pod that waits can change, but while it has gates.
  return a->labels == b->labels && a->scheduling_gates == b->scheduling_gates &&
         a->resource_claims == b->resource_claims && TolerateTheSame(*a, *b) &&
         RequestTheSame(*a, *b);
}

}  // namespace outrigger::desk
