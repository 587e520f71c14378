#include "calls/preempt_call.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "fmt/format.h"
#include "gang/plan/group.h"

namespace outrigger::gang {
namespace {

using GangsOfPods = std::map<std::string, plan::UnitKey, std::less<>>;

/// Which gang each waiter is of.
GangsOfPods GangsOfWaiters(const Barriers& barriers) {
  GangsOfPods gangs;
  for (const auto& [gang, waiting] : barriers.Waiters()) {
    for (const Waiting& waiter : waiting) gangs[waiter.uid] = gang;
  }
  return gangs;
}

std::set<plan::UnitKey> GangsThatWait(const GangsOfPods& waiters, const NodeVictims& candidate) {
  std::set<plan::UnitKey> gangs;
  for (const std::string& uid : candidate.pod_uids) {
    const auto found = waiters.find(uid);
    if (found != waiters.end()) gangs.insert(found->second);
  }
  return gangs;
}

plan::Rank RankOf(const Board& board, const Pod& pod) {
  const BoardPod* const seat = board.Find(pod.uid);
  const BoardUnit* const unit = seat == nullptr ? nullptr : board.UnitOf(*seat);
  return unit == nullptr ? board.RankOfUnseen(pod) : unit->rank;
}

/// True if the places of all these gangs would be for who has `rank`. For one behind them they are
/// kept, whoever is woken, as the plan goes by more than the priority of pods. A gang that the plan
/// does not have has lost its places: the plan fails it.
bool ComesBefore(const plan::Rank& rank, const Board& board, const std::set<plan::UnitKey>& gangs) {
  return std::all_of(gangs.begin(), gangs.end(), [&](const plan::UnitKey& gang) {
    const BoardUnit* const unit = board.FindUnit(gang);
    return unit != nullptr && rank < unit->rank;
  });
}

using RolesOfPods = std::map<std::string, std::string, std::less<>>;

/// The role of each member that is bound, or about to be though the board does not show it yet:
/// those of `let_through`.
RolesOfPods MembersWithPlaces(const Board& board, const GangsOfPods& let_through,
                              const plan::UnitKey& gang) {
  RolesOfPods members;
  for (const BoundMember& member : board.BoundOf(gang)) members[member.uid] = member.role;
  for (const auto& [uid, of] : let_through) {
    if (of != gang) continue;
    const BoardPod* const pod = board.Find(uid);
    members.try_emplace(uid, pod == nullptr ? "" : pod->role);
  }
  return members;
}

/// True if `left` of `members`, which are fewer, are too few for a role that loses some of them.
bool CutsARole(const plan::GroupState& group, const RolesOfPods& members, const RolesOfPods& left) {
  const auto count = [](const RolesOfPods& pods, const std::string& role) {
    return std::count_if(pods.begin(), pods.end(),
                         [&](const auto& pod) { return pod.second == role; });
  };
  return std::any_of(group.roles.begin(), group.roles.end(), [&](const plan::Role& role) {
    const auto rest = count(left, role.name);
    return rest < role.minimum && rest < count(members, role.name);
  });
}

/// True if a gang would lose some of its members, but not all, and be left with fewer than it, or
/// one of its roles, needs.
bool CutsAGang(const Board& board, const GangsOfPods& let_through, const NodeVictims& candidate) {
  std::set<plan::UnitKey> gangs;
  for (const std::string& uid : candidate.pod_uids) {
    const plan::UnitKey* gang = board.GangOfBound(uid);
    const auto found = let_through.find(uid);
    if (gang == nullptr && found != let_through.end()) gang = &found->second;
    if (gang != nullptr) gangs.insert(*gang);
  }
  return std::any_of(gangs.begin(), gangs.end(), [&](const plan::UnitKey& gang) {
    const plan::GroupState* const group = board.FindGroupOf(gang);
    if (group == nullptr) return false;
    const bool is_starting = std::any_of(let_through.begin(), let_through.end(),
                                         [&](const auto& pod) { return pod.second == gang; });
    // It is cut already, and not by loss.
    if (group->broken && !group->preferred && !is_starting) return false;
    const RolesOfPods members = MembersWithPlaces(board, let_through, gang);
    RolesOfPods left = members;
    for (const std::string& uid : candidate.pod_uids) left.erase(uid);
    if (left.empty() || left.size() == members.size()) return false;
    return static_cast<int64_t>(left.size()) < group->needed || CutsARole(*group, members, left);
  });
}

}  // namespace

void ChooseVictims(const Board& board, const PreemptRequest& request, Barriers* barriers,
                   std::vector<NodeVictims>* chosen) {
  const auto membership = plan::MembershipOf(request.pod, nullptr);
  if (membership && !board.MembersAreSingle(*membership)) return;
  const auto waiters = GangsOfWaiters(*barriers);
  const auto let_through = barriers->LetThrough();
  const auto leaving = barriers->Leaving();
  // One that was bound by hand meanwhile stays.
  const auto leaves = [&](const std::string& uid) {
    return leaving.contains(uid) && board.GangOfBound(uid) == nullptr;
  };
  bool any_leaves = false;
  const plan::Rank rank = RankOf(board, request.pod);
  std::set<plan::UnitKey> to_fail;
  for (const NodeVictims& candidate : request.candidates) {
    if (std::any_of(candidate.pod_uids.begin(), candidate.pod_uids.end(), leaves)) {
      any_leaves = true;
      continue;
    }
    const std::set<plan::UnitKey> waiting = GangsThatWait(waiters, candidate);
    if (!waiting.empty()) {
      if (ComesBefore(rank, board, waiting)) to_fail.insert(waiting.begin(), waiting.end());
    } else if (!CutsAGang(board, let_through, candidate)) {
      chosen->push_back(candidate);
    }
  }
  // If another victim exists, or a pod is leaving anyway, no barrier has to fail.
  if (!chosen->empty() || any_leaves) return;
  const std::string why = fmt::format("pod {}/{} of higher priority needs its node",
                                      request.pod.namespace_, request.pod.name);
  for (const plan::UnitKey& gang : to_fail) barriers->FailGang(gang, BarrierEnd::kNoRoom, why);
}

}  // namespace outrigger::gang
