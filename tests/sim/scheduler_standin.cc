#include "scheduler_standin.h"

#include <algorithm>
#include <map>
#include <utility>

#include "builders.h"
#include "fmt/format.h"

namespace outrigger::sim {
namespace {

using Nodes = std::vector<const SceneNode*>;

bool IsAssigned(const Pod* pod) {
  return pod != nullptr && !pod->node_name.empty();
}

std::vector<NodeRef> RefsTo(const Nodes& nodes) {
  std::vector<NodeRef> refs;
  for (const SceneNode* node : nodes) refs.emplace_back(node->node);
  return refs;
}

}  // namespace

SchedulerStandIn::SchedulerStandIn(Scene* scene, Timeline* timeline, Extender* extender,
                                   Options options, Hooks hooks, uint32_t seed)
    : scene_(scene),
      timeline_(timeline),
      extender_(extender),
      options_(options),
      hooks_(std::move(hooks)),
      queue_(timeline, options.queue),
      random_(seed) {
  scene_->Listen([this](const Pod* before, const Pod* after) { OnPod(before, after); });
}

void SchedulerStandIn::OnPod(const Pod* before, const Pod* after) {
  const Pod& pod = after == nullptr ? *before : *after;
  if (after == nullptr) {
    queue_.Remove(pod.name);
    if (IsAssigned(before) || !pod.nominated_node_name.empty()) {
      queue_.OnEvent(SchedulingQueue::Event::kFreed);
    }
  } else if (IsAssigned(after)) {
    queue_.Remove(pod.name);
    queue_.OnEvent(SchedulingQueue::Event::kAssigned);
  } else if (pod.being_deleted) {
    queue_.Remove(pod.name);
  } else if (before == nullptr) {
    queue_.Add(pod.name, pod.priority);
  } else {
    queue_.OnUpdate(pod.name);
  }
  Plan();
}

// Sees to it that the next cycle begins as soon as there is a pod for it.
void SchedulerStandIn::Plan() {
  if (is_busy_) return;
  const auto next = queue_.NextPop();
  if (!next) return;
  const auto delay =
      std::chrono::ceil<milliseconds>(std::max(*next - timeline_->now(), Time::duration::zero()));
  timeline_->After(delay, [this, alarm = ++alarm_] {
    if (alarm == alarm_) Begin();
  });
}

void SchedulerStandIn::Pause(milliseconds time) {
  is_busy_ = true;
  timeline_->After(time, [this] {
    is_busy_ = false;
    Plan();
  });
}

void SchedulerStandIn::Begin() {
  if (is_busy_) return;
  const auto name = queue_.Pop();
  if (!name) return Plan();
  is_busy_ = true;
  ++cycles_;
  timeline_->After(options_.call, [this, name = *name] { Decide(name); });
}

void SchedulerStandIn::Decide(const std::string& name) {
  const ScenePod* const pod = scene_->Find(name);
  Cycle cycle;
  if (pod != nullptr && pod->IsPending()) {
    cycle.pod = *pod;
    Select(&cycle);
    if (cycle.node != nullptr) {
      LetThrough(cycle);
    } else if (!cycle.failure.is_error) {
      Preempt(&cycle);
    }
  }
  timeline_->After(options_.call, [this, cycle = std::move(cycle)] { End(cycle); });
}

void SchedulerStandIn::End(Cycle cycle) {
  is_busy_ = false;
  const std::string& name = cycle.pod.pod.name;
  if (!name.empty() && cycle.node == nullptr) {
    queue_.Failed(name, cycle.failure);
    Patch(cycle);
  }
  Plan();
}

// An unchanged condition is not written.
void SchedulerStandIn::Patch(const Cycle& cycle) {
  const ScenePod* const pod = scene_->Find(cycle.pod.pod.name);
  if (pod == nullptr || !pod->IsPending() || pod->pod.uid != cycle.pod.pod.uid) return;
  const std::string reason = cycle.failure.is_error ? "SchedulerError" : "Unschedulable";
  const std::string message =
      fmt::format("0/{} nodes are available: {}{}", scene_->nodes().size(),
                  cycle.failure.by_fit ? "Insufficient cpu. " : "", cycle.reason);
  const bool clears = cycle.clears_nomination && !cycle.pod.pod.nominated_node_name.empty();
  if (pod->pod.unscheduled_message == message && !clears) return;
  (void)scene_->Change(pod->pod.name, "", "", [&](Pod* changed) {
    changed->unscheduled_reason = reason;
    changed->unscheduled_message = message;
    if (clears) changed->nominated_node_name.clear();
  });
}

// The pod must fit with and without pods that are nominated and not of lower priority.
bool SchedulerStandIn::PassesInTree(const ScenePod& pod, const SceneNode& node) const {
  int64_t free = scene_->Free(node);
  for (const auto& [name, other] : scene_->pods()) {
    const bool counts = other.IsPending() && other.pod.nominated_node_name == node.node.name &&
                        other.pod.priority >= pod.pod.priority && name != pod.pod.name;
    if (counts) free -= other.slots;
  }
  return Scene::MayUse(pod, node) && free >= pod.slots;
}

Nodes SchedulerStandIn::Offer(Cycle* cycle) {
  Nodes offer;
  const auto& nodes = scene_->nodes();
  const size_t first = options_.sample == 0 ? 0 : first_node_;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const SceneNode& node = nodes[(first + i) % nodes.size()];
    if (!PassesInTree(cycle->pod, node)) {
      cycle->failure.by_fit = true;
      continue;
    }
    offer.push_back(&node);
    if (offer.size() != options_.sample) continue;
    first_node_ = (first + i + 1) % nodes.size();
    break;
  }
  return offer;
}

// The nodes that pass the extender.
Nodes SchedulerStandIn::Ask(const Nodes& nodes, Cycle* cycle) {
  if (nodes.empty()) return {};
  ++filter_calls_;
  const auto refs = RefsTo(nodes);
  testing::RecordingDiagnostics diagnostics;
  const Request request{.pod = cycle->pod.pod, .nodes = NodeList(refs), .diagnostics = diagnostics};
  std::vector<Verdict> verdicts(nodes.size());
  if (absl::Status asked = extender_->Filter(request, verdicts); !asked.ok()) {
    cycle->failure.is_error = true;
    cycle->reason = std::string(asked.message());
    return {};
  }
  Nodes passing;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (verdicts[i].fits()) {
      passing.push_back(nodes[i]);
      continue;
    }
    cycle->failure.by_extender = true;
    if (!verdicts[i].reason().empty()) cycle->reason = verdicts[i].reason();
    if (verdicts[i].kind() == Verdict::Kind::kUnresolvable) cycle->unresolvable.push_back(nodes[i]);
  }
  return passing;
}

const SceneNode* SchedulerStandIn::Choose(const Nodes& nodes, const Cycle& cycle) {
  const auto refs = RefsTo(nodes);
  testing::RecordingDiagnostics diagnostics;
  const Request request{.pod = cycle.pod.pod, .nodes = NodeList(refs), .diagnostics = diagnostics};
  std::vector<NodeScore> scores(nodes.size());
  // Without an answer its own scores decide.
  if (!extender_->Score(request, scores).ok()) scores = std::vector<NodeScore>(nodes.size());
  // Its own scores are as good as random here, and weigh as much.
  size_t best = 0;
  double most = -1;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const double score = scores[i].value + std::uniform_real_distribution<>(0, 1)(random_);
    if (score > most) best = i;
    most = std::max(most, score);
  }
  return nodes[best];
}

void SchedulerStandIn::Select(Cycle* cycle) {
  const SceneNode* const nominated = scene_->FindNode(cycle->pod.pod.nominated_node_name);
  if (nominated != nullptr && PassesInTree(cycle->pod, *nominated)) {
    const Nodes passing = Ask({nominated}, cycle);
    if (!passing.empty()) {
      cycle->node = nominated;
      return;
    }
    cycle->failure = {};
    cycle->unresolvable.clear();
  }
  const Nodes passing = Ask(Offer(cycle), cycle);
  if (!passing.empty()) cycle->node = Choose(passing, *cycle);
}

void SchedulerStandIn::LetThrough(const Cycle& cycle) {
  const Pod& pod = cycle.pod.pod;
  if (hooks_.let_through) hooks_.let_through(cycle.pod, *cycle.node);
  queue_.Remove(pod.name);
  scene_->Take(pod.name, cycle.node->node.name);
  timeline_->After(options_.bind, [this, name = pod.name, uid = pod.uid,
                                   node = cycle.node->node.name] { Bind(name, uid, node); });
}

// The API server clears the nomination of a pod that is bound.
void SchedulerStandIn::Bind(const std::string& name, const std::string& uid,
                            const std::string& node) {
  (void)scene_->Change(name, uid, "", [&](Pod* pod) {
    pod->node_name = node;
    pod->nominated_node_name.clear();
  });
}

}  // namespace outrigger::sim
