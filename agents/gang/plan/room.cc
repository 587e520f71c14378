#include "gang/plan/room.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "cluster/snapshot.h"
#include "gang/plan/nodes/shape.h"

namespace outrigger::plan {
namespace {

ResourceList FreeOn(const cluster::NodeState& state) {
  ResourceList taken;
  for (const auto& [name, quantity] : state.requested) taken.Append(name, -quantity);
  taken.Normalize();
  ResourceList free = state.node->allocatable;
  free.Add(taken);
  return free;
}

uint64_t StampOf(const cluster::NodeState& state) {
  uint64_t stamp = state.node->revision;
  for (const cluster::PodPtr& pod : state.pods) {
    const std::string_view uid = pod->uid();
    stamp = absl::HashOf(stamp, absl::string_view(uid.data(), uid.size()));
  }
  return stamp;
}

// What a pod asks of an empty node.
struct Wish {
  Shape shape;
  ResourceList requests;
};

Wish WishOf(const std::shared_ptr<const Pod>& pod, const SchedulerChecks& checks) {
  Pod compared = *pod;
  checks.LeaveOutOf(&compared);
  Wish wish;
  wish.shape.example = pod;
  wish.shape.JudgeBy(checks.Of(*pod));
  wish.requests = PodRequestsOnNode(compared);
  return wish;
}

std::vector<Wish> WishesOf(std::span<const std::shared_ptr<const Pod>> pods,
                           const SchedulerChecks& checks) {
  constexpr size_t kMost = 64;
  std::vector<Wish> wishes;
  absl::flat_hash_set<std::string> known;
  for (const auto& pod : pods) {
    if (wishes.size() == kMost) break;
    std::string asks = pod->scheduler_name + "|" + SignatureOf(*pod, {});
    if (known.insert(std::move(asks)).second) wishes.push_back(WishOf(pod, checks));
  }
  return wishes;
}

bool TakesAny(const Node& node, const ResourceList& allocatable, const std::vector<Wish>& wishes) {
  return std::any_of(wishes.begin(), wishes.end(), [&](const Wish& wish) {
    return allocatable.Covers(wish.requests) && MayTake(wish.shape, node);
  });
}

}  // namespace

std::optional<NodeRoom> RoomOn(const ClusterSnapshot& snapshot, std::string_view node,
                               const SchedulerChecks* checks) {
  const cluster::NodeState* const state = cluster::Snapshot::Of(snapshot).FindNode(node);
  if (state == nullptr) return std::nullopt;
  NodeRoom room{
      .free = FreeOn(*state), .schedulable = !state->node->unschedulable, .stamp = StampOf(*state)};
  if (checks != nullptr) checks->AddDevices(state->node->allocatable, &room.free);
  return room;
}

bool ShareANode(const ClusterSnapshot& snapshot, std::span<const std::shared_ptr<const Pod>> some,
                std::span<const std::shared_ptr<const Pod>> others, const SchedulerChecks* checks) {
  const SchedulerChecks none;
  const SchedulerChecks& compared = checks == nullptr ? none : *checks;
  const std::vector<Wish> first = WishesOf(some, compared);
  const std::vector<Wish> second = WishesOf(others, compared);
  if (first.empty() || second.empty()) return false;
  const cluster::Snapshot& nodes = cluster::Snapshot::Of(snapshot);
  for (size_t slot = 0; slot < nodes.node_slots(); ++slot) {
    const cluster::NodeState* const state = nodes.NodeAt(slot);
    if (state == nullptr) continue;
    ResourceList allocatable = state->node->allocatable;
    compared.AddDevices(state->node->allocatable, &allocatable);
    const Node& node = *state->node;
    if (TakesAny(node, allocatable, first) && TakesAny(node, allocatable, second)) return true;
  }
  return false;
}

}  // namespace outrigger::plan
