#include "outrigger/plan/room.h"

#include "absl/hash/hash.h"
#include "cluster/snapshot.h"

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

}  // namespace outrigger::plan
