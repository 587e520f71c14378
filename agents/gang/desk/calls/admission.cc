#include "gang/desk/calls/admission.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "gang/desk/reasons.h"
#include "gang/plan/group.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/k8s/taint.h"

namespace outrigger::desk {
namespace {

using Outcome = Admission::Outcome;

/// The reason on one node, the rest left out: answer and message stay small at any size, and so
/// does what kube-scheduler makes of it.
void RejectAll(ReasonClass reason_class, const std::string& reason, std::span<Verdict> verdicts) {
  if (verdicts.empty()) return;
  const Verdict left_out = Verdict::LeftOut();
  std::fill(verdicts.begin(), verdicts.end(), left_out);
  verdicts[0] = Verdict::Unresolvable(reason_class, "{}", reason);
}

void PassOnly(size_t i, std::span<Verdict> verdicts) {
  const Verdict left_out = Verdict::LeftOut();
  std::fill(verdicts.begin(), verdicts.end(), left_out);
  verdicts[i] = Verdict::Fits();
}

// kube-scheduler offers a part of the nodes of a large cluster: a nomination, which makes it try
// one node, costs a write.
Admission AdmitReserved(const Board& board, const BoardPod& seat, const BoardUnit& unit,
                        const Request& request, PlaceMoves* moves, std::span<Verdict> verdicts) {
  std::string place = moves->PlaceOf(board, seat);
  for (size_t i = 0; i < request.nodes.size(); ++i) {
    if (request.nodes[i].name != place) continue;
    PassOnly(i, verdicts);
    return {Outcome::kReserved, std::move(place)};
  }
  const bool may_move = request.pod.nominated_node_name.empty();
  for (size_t i = 0; may_move && i < request.nodes.size(); ++i) {
    const std::string_view node = request.nodes[i].name;
    if (!moves->MoveTo(node, board, seat)) continue;
    PassOnly(i, verdicts);
    return {Outcome::kMoved, std::string(node)};
  }
  RejectAll("place-not-offered", WaitingText(unit.key, "kube-scheduler did not offer its node"),
            verdicts);
  return {Outcome::kNotOffered, std::move(place)};
}

std::string TextOf(const BoardUnit& unit) {
  return fmt::format("{} {}", unit.gang ? "gang" : "pod", plan::TextOf(unit.key));
}

/// True if the pod, which no plan has seen, may be let go: all that waits before it has a place,
/// and kube-scheduler, which goes by priority, gives none of these to it.
bool MayGoUnseen(const Board& board, const Pod& pod, const plan::Rank& rank) {
  const BoardUnit* const waits = board.FirstWithoutPlace();
  if (waits != nullptr && waits->rank < rank) return false;
  const std::optional<int32_t> lowest = board.LowestPriorityBefore(rank);
  return !lowest || *lowest >= pod.priority;
}

/// The first unit before the pod for which the node is kept, or which would lose its place there if
/// the pod took what is free; nullptr: none.
const BoardUnit* LosesBy(const Board& board, const Pod& pod, const ResourceList& requests,
                         const plan::Rank& rank, std::string_view node) {
  const BoardUnit* const kept_for = board.KeptFor(node);
  if (kept_for != nullptr && kept_for->rank < rank) return kept_for;
  const ReservedNode* const reserved = board.ReservationsOn(node);
  if (reserved == nullptr) return nullptr;
  const BoardUnit* last = nullptr;
  ResourceList free = reserved->free;
  for (const Reservation& place : reserved->reservations) {
    const BoardUnit& unit = board.units()[place.unit];
    if (place.uid == pod.uid || !(unit.rank < rank)) continue;
    free.Subtract(place.requests);
    last = &unit;
  }
  return last == nullptr || free.Covers(requests) ? nullptr : last;
}

/// Rejects nodes where a unit before the pod would lose its place; false if none is left.
bool RejectTaken(const Board& board, const Request& request, const plan::Rank& rank,
                 std::span<Verdict> verdicts) {
  bool any = request.nodes.empty();
  bool named = false;
  const ResourceList requests = board.RequestsOf(request.pod);
  for (size_t i = 0; i < request.nodes.size(); ++i) {
    const BoardUnit* const unit =
        LosesBy(board, request.pod, requests, rank, request.nodes[i].name);
    if (unit == nullptr) {
      any = true;
      continue;
    }
    verdicts[i] = std::exchange(named, true)
                      ? Verdict::LeftOut()
                      : Verdict::Unresolvable("reserved", "reserved for {} ({})", TextOf(*unit),
                                              kQueuePointer);
  }
  return any;
}

/// A single pod passes once it is let go. Which node it gets is kube-scheduler's choice, but for
/// those where a unit before it would lose its place.
Admission AdmitSingle(const Board& board, const Request& request, const BoardPod* seat,
                      std::span<Verdict> verdicts) {
  if (!board.MayHold(request.pod)) return {};
  if (seat == nullptr && board.IsLeftOut(request.pod)) return {};
  const plan::Rank rank = seat == nullptr ? board.RankOfUnseen(request.pod) : seat->unit->rank;
  const bool is_let_go =
      seat == nullptr ? MayGoUnseen(board, request.pod, rank) : !seat->node.empty();
  if (!is_let_go) {
    RejectAll("queue", HeldText(board, seat, rank), verdicts);
    return {Outcome::kWaits, ""};
  }
  if (RejectTaken(board, request, rank, verdicts)) return {};
  if (seat == nullptr) return {Outcome::kWaits, ""};
  return {Outcome::kNotOffered, seat->node};
}

/// What keeps a member from a place; of a gang that gave up its places, that it did.
std::string WordOf(const BoardUnit& unit) {
  if (unit.fits) return "room for more members than its minimum";
  return unit.rank.turn == 0 ? unit.word : unit.word + ", after it gave up its nodes";
}

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

// It names the unit right before it, which changes less often than the first one: each change is a
// write that wakes the pod.
std::string HeldText(const Board& board, const BoardPod* seat, const plan::Rank& rank) {
  const BoardUnit* const front = board.InFrontOf(rank);
  if (front != nullptr) {
    return fmt::format("waits for {} with groupPriority {} ({})", TextOf(*front),
                       front->rank.group_priority, kQueuePointer);
  }
  const BoardUnit* const unit = seat == nullptr ? nullptr : board.UnitOf(*seat);
  const std::string word = unit == nullptr || unit->word.empty() ? "room" : unit->word;
  return fmt::format("first in the queue, waits: {} ({})", word, kQueuePointer);
}

std::string RoomText(const BoardUnit& gang) {
  return WaitingText(gang.key, WordOf(gang));
}

namespace {

/// A pod that names a group, and that no plan has seen.
Admission AdmitUnseen(const plan::Membership& membership, std::span<Verdict> verdicts) {
  const plan::UnitKey key{membership.dialect, std::string(membership.namespace_),
                          std::string(membership.name), ""};
  RejectAll("members", WaitingText(key, "members"), verdicts);
  return {Outcome::kWaits, ""};
}

}  // namespace

Admission Admit(const Board& board, const Request& request, std::span<Verdict> verdicts,
                PlaceMoves* moves) {
  const BoardPod* seat = board.Find(request.pod.uid);
  const BoardUnit* unit = seat == nullptr ? nullptr : board.UnitOf(*seat);
  if (seat == nullptr) {
    const auto membership = plan::MembershipOf(request.pod, nullptr);
    if (membership && board.IsLeftToScheduler(*membership)) return {};
    if (membership && !board.MembersAreSingle(*membership))
      return AdmitUnseen(*membership, verdicts);
    return AdmitSingle(board, request, nullptr, verdicts);
  }
  if (unit == nullptr) {
    RejectAll("group", seat->reason, verdicts);
    return {Outcome::kWaits, ""};
  }
  if (!unit->gang) return AdmitSingle(board, request, seat, verdicts);
  if (!seat->node.empty()) {
    return AdmitReserved(board, *seat, *unit, request, moves, verdicts);
  }
  RejectAll("room", RoomText(*unit), verdicts);
  return {Outcome::kWaits, ""};
}

bool IsMember(const Board& board, const Pod& pod) {
  const BoardPod* const seat = board.Find(pod.uid);
  if (seat == nullptr) {
    const auto membership = plan::MembershipOf(pod, nullptr);
    return membership && !board.MembersAreSingle(*membership);
  }
  const BoardUnit* const unit = board.UnitOf(*seat);
  return unit == nullptr || unit->gang;
}

void ChooseVictims(const Board& board, const PreemptRequest& request,
                   std::vector<NodeVictims>* chosen) {
  if (!board.MayHold(request.pod)) {
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
