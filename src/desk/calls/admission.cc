#include "outrigger/desk/admission.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "outrigger/desk/reasons.h"
#include "outrigger/plan/group.h"
#include "outrigger/plan/order.h"

namespace outrigger::desk {
namespace {

using Outcome = Admission::Outcome;
constexpr std::chrono::seconds kTentativeFor{30};

/// The reason on one node, the rest left out: answer and message stay small at any size, and so
/// does what kube-scheduler makes of it.
void RejectAll(ReasonClass reason_class, const std::string& reason, std::span<Verdict> verdicts) {
  if (verdicts.empty()) return;
  const Verdict left_out = Verdict::LeftOut();
  std::fill(verdicts.begin(), verdicts.end(), left_out);
  verdicts[0] = Verdict::Unresolvable(reason_class, "{}", reason);
}

Admission AdmitReserved(const BoardPod& seat, const BoardUnit& unit, const Request& request,
                        std::span<Verdict> verdicts) {
  const Verdict left_out = Verdict::LeftOut();
  for (size_t i = 0; i < request.nodes.size(); ++i) {
    if (request.nodes[i].name != seat.node) continue;
    std::fill(verdicts.begin(), verdicts.end(), left_out);
    verdicts[i] = Verdict::Fits();
    return {Outcome::kReserved, seat.node};
  }
  RejectAll("place-not-offered", WaitingText(unit.key, "its place was not offered"), verdicts);
  return {Outcome::kNotOffered, seat.node};
}

/// A single pod that has a turn, before the reservations of others, and the nodes that are kept for
/// a unit.
class Passage {
 public:
  Passage(const Board& board, const Request& request, const BoardPod* seat,
          const TentativeUses& tentative)
      : board_(board),
        request_(request),
        seat_(seat),
        tentative_(tentative),
        requests_(board.RequestsOf(request.pod)) {}

  /// Whether the pod may go to the node: no reservation would lose by it, or, with `spare_behind`
  /// false, none of a unit before the pod.
  bool MayTake(const Node& node, bool spare_behind) const {
    if (IsKeptFromIt(node)) return false;
    const ReservedNode* reserved = board_.ReservationsOn(node.name);
    if (reserved == nullptr) return board_.HasRoom(node.name, requests_);
    ResourceList free = reserved->free;
    bool any = false;
    for (const Reservation& reservation : reserved->reservations) {
      if (reservation.uid == request_.pod.uid) continue;
      const BoardUnit& holder = board_.units()[reservation.unit];
      if (!spare_behind && !(holder.rank < Rank())) continue;
      free.Subtract(reservation.requests);
      any = true;
    }
    // What was let through counts for the scheduler, too: it offers no node that is full by that.
    // Only the places of others have to be kept from both.
    if (!any) return free.Covers(requests_);
    tentative_.TakeFrom(node.name, request_.pod.uid, &free);
    return free.Covers(requests_);
  }

  const ResourceList& requests() const { return requests_; }

 private:
  bool IsKeptFromIt(const Node& node) const {
    const BoardUnit* unit = board_.KeptFor(node.name);
    const bool its_own = seat_ != nullptr && unit == seat_->unit;
    return unit != nullptr && !its_own && unit->rank < Rank();
  }
  const plan::Rank& Rank() const {
    if (seat_ != nullptr) return seat_->unit->rank;
    if (!unseen_) unseen_ = board_.RankOfUnseen(request_.pod);
    return *unseen_;
  }

  const Board& board_;
  const Request& request_;
  const BoardPod* const seat_;  // null: the watch has not shown the pod
  const TentativeUses& tentative_;
  const ResourceList requests_;
  mutable std::optional<plan::Rank> unseen_;
};

/// Rejects the nodes that the pod may not take; false if none is left.
bool RejectTaken(const Passage& passage, const Request& request, bool spare_behind,
                 std::span<Verdict> verdicts) {
  bool any = false;
  bool told = false;
  for (size_t i = 0; i < request.nodes.size(); ++i) {
    if (passage.MayTake(request.nodes[i], spare_behind)) {
      verdicts[i] = Verdict::Fits();
      any = true;
    } else {
      verdicts[i] =
          std::exchange(told, true)
              ? Verdict::LeftOut()
              : Verdict::Unresolvable("reserved", "kept for those before it ({})", kQueuePointer);
    }
  }
  return any;
}

/// Notes where the pod may come to be, unless there is a node without a reservation: it is steered
/// there.
void NoteUse(const Board& board, const Passage& passage, const Request& request,
             std::span<const Verdict> verdicts, TentativeUses* tentative) {
  std::vector<std::string> nodes;
  tentative->End(request.pod.uid);
  for (size_t i = 0; i < request.nodes.size(); ++i) {
    if (!verdicts[i].fits()) continue;
    if (board.ReservationsOn(request.nodes[i].name) == nullptr) return;
    nodes.push_back(request.nodes[i].name);
  }
  tentative->Note(request.pod.uid, passage.requests(), std::move(nodes),
                  /*seen=*/board.Find(request.pod.uid) != nullptr);
}

std::string TextOf(const BoardUnit& unit) {
  return fmt::format("{} {}", unit.gang ? "gang" : "pod", plan::TextOf(unit.key));
}

/// Why a pod without a place waits. It names the unit right before it, which changes less often
/// than the first one: each change is a write that wakes the pod.
std::string HeldText(const Board& board, const BoardPod* seat, const plan::Rank& rank) {
  const BoardUnit* const front = board.InFrontOf(rank);
  if (front != nullptr) {
    return fmt::format("waits for {}, groupPriority {} ({})", TextOf(*front),
                       front->rank.group_priority, kQueuePointer);
  }
  const BoardUnit* const unit = seat == nullptr ? nullptr : board.UnitOf(*seat);
  const std::string word = unit == nullptr || unit->word.empty() ? "room" : unit->word;
  return fmt::format("first in the queue, waits: {} ({})", word, kQueuePointer);
}

bool IsOffered(const Request& request, const std::string& node) {
  for (const Node& offered : request.nodes) {
    if (offered.name == node) return true;
  }
  return false;
}

/// A single pod that is held until it is its turn: it passes where there is room for it after all
/// units before it, and if it can, where no unit after it loses its place.
Admission AdmitHeld(const Board& board, const Request& request, const BoardPod* seat,
                    TentativeUses* tentative, std::span<Verdict> verdicts) {
  const Passage passage(board, request, seat, *tentative);
  if (plan::ComesFirst(request.pod)) {
    // It may go to another node than the plan has for it, where those after it would follow.
    NoteUse(board, passage, request, verdicts, tentative);
    return {};
  }
  const plan::Rank rank = seat == nullptr ? board.RankOfUnseen(request.pod) : seat->unit->rank;
  const bool has_place = seat == nullptr || !seat->node.empty();
  if (has_place && (RejectTaken(passage, request, /*spare_behind=*/true, verdicts) ||
                    RejectTaken(passage, request, /*spare_behind=*/false, verdicts))) {
    NoteUse(board, passage, request, verdicts, tentative);
    return {};
  }
  tentative->End(request.pod.uid);  // it is asked about again: it took nothing
  RejectAll("queue", HeldText(board, seat, rank), verdicts);
  if (seat == nullptr || seat->node.empty() || IsOffered(request, seat->node)) {
    return {Outcome::kWaits, ""};
  }
  return {Outcome::kNotOffered, seat->node};
}

// Places of gangs are their own by themselves: what is not planned passes everywhere.
Admission AdmitSingle(const Board& board, const Request& request, const BoardPod* seat,
                      TentativeUses* tentative, std::span<Verdict> verdicts) {
  if (!board.holds()) return {};
  return AdmitHeld(board, request, seat, tentative, verdicts);
}

/// What keeps a member from a place; of a gang that gave up its places, that it did.
std::string WordOf(const BoardUnit& unit) {
  if (unit.fits) return "room for more than its minimum";
  return unit.rank.turn == 0 ? unit.word : unit.word + ", after it gave up its places";
}

/// A pod that names a group, and that no plan has seen.
Admission AdmitUnseen(const plan::Membership& membership, std::span<Verdict> verdicts) {
  const plan::UnitKey key{membership.dialect, std::string(membership.namespace_),
                          std::string(membership.name), ""};
  RejectAll("members", WaitingText(key, "members"), verdicts);
  return {Outcome::kWaits, ""};
}

}  // namespace

void TentativeUses::OnPlan(const Board& board, std::span<const PodPtr> pods) {
  const MutexLock lock(mutex_);
  // Of a pod that no plan has seen pending the binding is the only sign.
  const bool any_unseen =
      std::any_of(uses_.begin(), uses_.end(), [](const auto& use) { return !use.second.seen; });
  for (const PodPtr& pod : any_unseen ? pods : std::span<const PodPtr>()) {
    if (!pod->node_name.empty()) uses_.erase(pod->uid);
  }
  for (auto use = uses_.begin(); use != uses_.end();) {
    const bool is_pending = board.Find(use->first) != nullptr;
    const bool was_pending = std::exchange(use->second.seen, is_pending);
    use = was_pending && !is_pending ? uses_.erase(use) : std::next(use);
  }
}

void TentativeUses::Note(const std::string& uid, const ResourceList& requests,
                         std::vector<std::string> nodes, bool seen) {
  const Time now = now_();
  const MutexLock lock(mutex_);
  std::erase_if(uses_, [&](const auto& use) { return use.second.until <= now; });
  uses_[uid] = {requests, std::move(nodes), now + kTentativeFor, seen};
}

void TentativeUses::End(std::string_view uid) {
  const MutexLock lock(mutex_);
  if (const auto found = uses_.find(uid); found != uses_.end()) uses_.erase(found);
}

void TentativeUses::TakeFrom(std::string_view node, std::string_view uid,
                             ResourceList* free) const {
  const Time now = now_();
  const MutexLock lock(mutex_);
  for (const auto& [user, use] : uses_) {
    if (user == uid || use.until <= now) continue;
    if (std::find(use.nodes.begin(), use.nodes.end(), node) == use.nodes.end()) continue;
    free->Subtract(use.requests);
  }
}

Admission Admit(const Board& board, const Request& request, TentativeUses* tentative,
                std::span<Verdict> verdicts) {
  const BoardPod* seat = board.Find(request.pod.uid);
  const BoardUnit* unit = seat == nullptr ? nullptr : board.UnitOf(*seat);
  if (seat == nullptr) {
    const auto membership = plan::MembershipOf(request.pod, nullptr);
    if (membership && !board.IsLeftToScheduler(*membership)) {
      return AdmitUnseen(*membership, verdicts);
    }
    return AdmitSingle(board, request, nullptr, tentative, verdicts);
  }
  if (unit == nullptr) {
    RejectAll("group", seat->reason, verdicts);
    return {Outcome::kWaits, ""};
  }
  if (!unit->gang) return AdmitSingle(board, request, seat, tentative, verdicts);
  if (!seat->node.empty()) return AdmitReserved(*seat, *unit, request, verdicts);
  RejectAll("room", WaitingText(unit->key, WordOf(*unit)), verdicts);
  return {Outcome::kWaits, ""};
}

bool IsMember(const Board& board, const Pod& pod) {
  const BoardPod* const seat = board.Find(pod.uid);
  if (seat == nullptr) {
    const auto membership = plan::MembershipOf(pod, nullptr);
    return membership && !board.IsLeftToScheduler(*membership);
  }
  const BoardUnit* const unit = board.UnitOf(*seat);
  return unit == nullptr || unit->gang;
}

void Steer(const Board& board, const Request& request, std::span<NodeScore> scores) {
  if (!board.AnyReservation()) return;
  const BoardPod* seat = board.Find(request.pod.uid);
  for (size_t i = 0; i < request.nodes.size(); ++i) {
    const std::string& node = request.nodes[i].name;
    const bool planned = seat != nullptr && seat->node == node;
    const bool reserved = board.ReservationsOn(node) != nullptr || board.KeptFor(node) != nullptr;
    scores[i] = {
        planned    ? 1.0
        : reserved ? 0.0
                   : 0.8,
        request.Why("{}{}", planned ? "planned here" : "", reserved ? "reserved for a gang" : "")};
  }
}

}  // namespace outrigger::desk
