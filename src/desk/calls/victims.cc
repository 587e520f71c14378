#include "desk/calls/victims.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "outrigger/agent/cluster.h"
#include "outrigger/k8s/taint.h"
#include "outrigger/plan/order.h"

namespace outrigger::desk {
namespace {

constexpr size_t kMostLookedAt = 100;

/// True if all victims are there, and come after `rank`, as if they were pending.
bool ComeAfter(const plan::Rank& rank, const Board& board, const NodeView& node,
               const NodeVictims& candidate) {
  const auto& uids = candidate.pod_uids;
  size_t known = 0;
  for (const PodView pod : node.Pods()) {
    if (std::find(uids.begin(), uids.end(), pod.Uid()) == uids.end()) continue;
    if (board.RankOfUnseen(pod.Unpack()) < rank) return false;
    ++known;
  }
  return known == uids.size();
}

/// True if a unit before `rank` has a place on the node, or it is kept for one: the victims would
/// go for nothing.
bool IsSpokenFor(const Board& board, const plan::Rank& rank, std::string_view node) {
  const BoardUnit* const kept_for = board.KeptFor(node);
  if (kept_for != nullptr && kept_for->rank < rank) return true;
  const ReservedNode* const reserved = board.ReservationsOn(node);
  return reserved != nullptr &&
         std::any_of(
             reserved->reservations.begin(), reserved->reservations.end(),
             [&](const Reservation& place) { return board.units()[place.unit].rank < rank; });
}

bool CouldRun(const Pod& pod, const ResourceList& requests, const Node& node) {
  if (node.unschedulable && !ToleratesCordon(pod.tolerations)) return false;
  return node.allocatable.Covers(requests) && MatchesNodeSelectorAndAffinity(pod, node) &&
         FindUntoleratedTaint(node.taints, pod.tolerations) == nullptr;
}

}  // namespace

void ChooseVictims(const Board& board, const PreemptRequest& request,
                   std::vector<NodeVictims>* chosen) {
  if (!board.holds() || plan::ComesFirst(request.pod)) {
    chosen->insert(chosen->end(), request.candidates.begin(), request.candidates.end());
    return;
  }
  const BoardPod* const seat = board.Find(request.pod.uid);
  if (seat == nullptr || seat->unit == nullptr || !seat->node.empty()) return;
  if (seat->unit->waits_turn) return;
  const plan::Rank& rank = seat->unit->rank;
  std::vector<std::pair<const NodeVictims*, NodeView>> left;
  for (const NodeVictims& candidate : request.candidates) {
    const auto node = board.snapshot().FindNode(candidate.node);
    if (IsSpokenFor(board, rank, candidate.node)) continue;
    if (node && ComeAfter(rank, board, *node, candidate)) left.emplace_back(&candidate, *node);
  }
  board.ForEachWithoutPlaceBefore(rank, kMostLookedAt, [&](const Pod& pod) {
    const ResourceList requests = board.RequestsOf(pod);
    std::erase_if(left, [&](const auto& of) { return CouldRun(pod, requests, of.second.node()); });
    return !left.empty();
  });
  for (const auto& [candidate, node] : left) chosen->push_back(*candidate);
}

}  // namespace outrigger::desk
