#include "desk/calls/victims.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "outrigger/agent/cluster.h"
#include "outrigger/plan/order.h"

namespace outrigger::desk {
namespace {

/// A pod in the plan.
struct Asking {
  size_t unit;  // of the next plan
  size_t member;
};

/// Nothing: nothing is planned for the pod.
std::optional<Asking> Find(const Board& board, std::span<const plan::Unit> units, const Pod& pod) {
  const BoardPod* const seat = board.Find(pod.uid);
  if (seat == nullptr || seat->unit == nullptr) return std::nullopt;
  const auto unit = std::find_if(units.begin(), units.end(), [&](const plan::Unit& other) {
    return other.key == seat->unit->key;
  });
  if (unit == units.end()) return std::nullopt;  // it rests
  const std::vector<plan::Member>& members = unit->members;
  const auto member = std::find_if(members.begin(), members.end(), [&](const plan::Member& other) {
    return other.pod->uid == pod.uid;
  });
  if (member == members.end()) return std::nullopt;
  return Asking{static_cast<size_t>(unit - units.begin()),
                static_cast<size_t>(member - members.begin())};
}

/// True if one of the victims comes before `rank`, as if it were pending.
bool AnyComesBefore(const plan::Rank& rank, const Board& board, const NodeVictims& candidate) {
  const std::optional<NodeView> node = board.snapshot()->FindNode(candidate.node);
  if (!node) return false;
  for (const PodView pod : node->Pods()) {
    const auto& uids = candidate.pod_uids;
    const bool goes = std::find(uids.begin(), uids.end(), pod.Uid()) != uids.end();
    if (goes && board.RankOfUnseen(pod.Unpack()) < rank) return true;
  }
  return false;
}

}  // namespace

void VictimChoice::Choose(const Board& board, const PreemptRequest& request,
                          std::vector<NodeVictims>* chosen) {
  if (!board.holds() || plan::ComesFirst(request.pod)) {
    chosen->insert(chosen->end(), request.candidates.begin(), request.candidates.end());
    return;
  }
  const auto until = now_() + kLongest;
  const std::vector<plan::Unit> units = board.UnitsOfNextPlan();
  const auto asking = Find(board, units, request.pod);
  if (!asking) return;
  std::vector<const NodeVictims*> candidates;
  std::vector<plan::Eviction> evictions;
  for (const NodeVictims& candidate : request.candidates) {
    if (AnyComesBefore(units[asking->unit].rank, board, candidate)) continue;
    candidates.push_back(&candidate);
    evictions.push_back({candidate.node, candidate.pod_uids});
  }
  if (evictions.empty()) return;
  const MutexLock lock(mutex_);
  const plan::EvictionGains gains =
      planner_.FindGains(board.snapshot(), units, asking->unit, asking->member, evictions,
                         board.plan_options(), [&] { return now_() < until; });
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (gains.gives[i]) chosen->push_back(*candidates[i]);
  }
}

}  // namespace outrigger::desk
