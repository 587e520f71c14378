#include "desk/calls/place_moves.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "outrigger/k8s/node.h"
#include "outrigger/k8s/taint.h"
#include "outrigger/plan/room.h"

namespace outrigger::desk {
namespace {

// Machines of one kind differ by what their kernels keep.
constexpr double kSameWithin = 0.1;

bool AreAlike(const Quantity& a, const Quantity& b) {
  const double larger = std::max(a.ToDouble(), b.ToDouble());
  const double smaller = std::min(a.ToDouble(), b.ToDouble());
  return larger - smaller <= kSameWithin * larger;
}

bool HasAllOf(const ResourceList& list, const ResourceList& of) {
  return std::all_of(of.begin(), of.end(), [&](const auto& entry) {
    const auto& [name, quantity] = entry;
    const Quantity* const other = list.Find(name);
    return other != nullptr && AreAlike(*other, quantity);
  });
}

bool AreEqual(const Node& a, const Node& b) {
  // Gangs that spread over these, or avoid pods there, are counted as planned.
  for (const std::string_view domain :
       {"topology.kubernetes.io/zone", "topology.kubernetes.io/region"}) {
    const std::string* const of_a = a.labels.Find(domain);
    const std::string* const of_b = b.labels.Find(domain);
    if ((of_a == nullptr) != (of_b == nullptr)) return false;
    if (of_a != nullptr && *of_a != *of_b) return false;
  }
  return HasAllOf(a.allocatable, b.allocatable) && HasAllOf(b.allocatable, a.allocatable);
}

bool MayBeOn(const Pod& pod, const Node& node) {
  if (node.unschedulable && !ToleratesCordon(pod.tolerations)) return false;
  return MatchesNodeSelectorAndAffinity(pod, node) &&
         FindUntoleratedTaint(node.taints, pod.tolerations) == nullptr;
}

bool IsOnlyOf(const BoardUnit& unit, const Board& board, const ReservedNode& node) {
  return std::all_of(node.reservations.begin(), node.reservations.end(),
                     [&](const Reservation& place) { return &board.units()[place.unit] == &unit; });
}

/// True if there is room on the node beside all places, and none of these is another unit's.
bool IsFree(std::string_view node, const Board& board, const BoardPod& seat) {
  const ReservedNode* const reserved = board.ReservationsOn(node);
  if (reserved != nullptr && !IsOnlyOf(*seat.unit, board, *reserved)) return false;
  const auto room = plan::RoomOn(board.snapshot(), node, board.plan_options().checks.get());
  if (!room) return false;
  ResourceList free = room->free;
  if (reserved != nullptr) {
    for (const Reservation& place : reserved->reservations) free.Subtract(place.requests);
  }
  return free.Covers(board.RequestsOf(*seat.pod));
}

bool IsAsGood(std::string_view node, const Board& board, const BoardPod& seat) {
  if (!seat.unit->takes_equal || seat.node.empty() || board.KeptFor(node) != nullptr) return false;
  const auto planned = board.snapshot().FindNode(seat.node);
  const auto offered = board.snapshot().FindNode(node);
  return planned && offered && AreEqual(planned->node(), offered->node());
}

}  // namespace

std::string PlaceMoves::PlaceOf(const Board& board, const BoardPod& seat) const {
  const MutexLock lock(mutex_);
  const auto found = moves_.find(seat.pod->uid);
  return found != moves_.end() && FitsTo(board, found->first, found->second) ? found->second.to
                                                                             : seat.node;
}

bool PlaceMoves::FitsTo(const Board& board, const std::string& uid, const Move& move) {
  const BoardPod* const seat = board.Find(uid);
  if (seat == nullptr || seat->unit == nullptr || seat->node != move.from) return false;
  if (!IsAsGood(move.to, board, *seat)) return false;
  if (move.with.empty()) return IsFree(move.to, board, *seat);
  const BoardPod* const with = board.Find(move.with);
  return with != nullptr && with->node == move.to;
}

bool PlaceMoves::MoveTo(std::string_view node, const Board& board, const BoardPod& seat) {
  if (!IsAsGood(node, board, seat)) return false;
  const MutexLock lock(mutex_);
  if (moves_.contains(seat.pod->uid)) return false;
  if (!taken_.contains(std::string(node)) && IsFree(node, board, seat)) {
    taken_.emplace(node);
    moves_[seat.pod->uid] = {seat.node, std::string(node), ""};
    return true;
  }
  const BoardPod* const with = PartnerOn(node, board, seat);
  if (with == nullptr) return false;
  moves_[seat.pod->uid] = {seat.node, with->node, with->pod->uid};
  moves_[with->pod->uid] = {with->node, seat.node, seat.pod->uid};
  return true;
}

const BoardPod* PlaceMoves::PartnerOn(std::string_view node, const Board& board,
                                      const BoardPod& seat) const {
  const ReservedNode* const reserved = board.ReservationsOn(node);
  const auto place = board.snapshot().FindNode(seat.node);
  if (reserved == nullptr || !place || board.KeptFor(seat.node) != nullptr) return nullptr;
  const ResourceList requests = RequestsOf(*seat.pod);
  for (const Reservation& other : reserved->reservations) {
    if (other.requests != requests || passed_.contains(other.uid)) continue;
    const BoardPod* const with = board.Find(other.uid);
    if (with == nullptr || with->node != node || moves_.contains(other.uid)) continue;
    if (!with->unit->gang || !with->unit->takes_equal) continue;
    if (with->pod->nominated_node_name.empty() && MayBeOn(*with->pod, place->node())) return with;
  }
  return nullptr;
}

void PlaceMoves::Answered(const std::string& uid, bool passes) {
  const MutexLock lock(mutex_);
  if (passes) {
    passed_.insert(uid);
  } else {
    passed_.erase(uid);
  }
}

PlaceMoves::ByUid PlaceMoves::Made() const {
  const MutexLock lock(mutex_);
  return moves_;
}

void PlaceMoves::OnBoard(const Board& board, const ByUid& made) {
  const MutexLock lock(mutex_);
  taken_.clear();
  absl::erase_if(moves_, [&](const auto& entry) {
    const auto& [uid, move] = entry;
    const auto known = made.find(uid);
    return (known != made.end() && known->second == move) || !FitsTo(board, uid, move);
  });
  for (const auto& [uid, move] : moves_) {
    if (move.with.empty()) taken_.insert(move.to);
  }
  absl::erase_if(passed_, [&](const std::string& uid) {
    const BoardPod* const seat = board.Find(uid);
    return seat == nullptr || seat->node.empty();
  });
}

void PlaceMoves::Clear() {
  const MutexLock lock(mutex_);
  moves_.clear();
  taken_.clear();
  passed_.clear();
}

}  // namespace outrigger::desk
