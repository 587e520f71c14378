#include "gang/desk/calls/place_moves.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "gang/plan/room.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/taint.h"

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

/// True if there is room on the node next to its places, and none of these is another unit's.
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

bool FitsTo(const Board& board, const std::string& uid, const PlaceMoves::Move& move) {
  const BoardPod* const seat = board.Find(uid);
  if (seat == nullptr || seat->unit == nullptr || seat->node != move.from) return false;
  return IsAsGood(move.to, board, *seat) && (!move.is_free || IsFree(move.to, board, *seat));
}

}  // namespace

std::string PlaceMoves::PlaceOf(const Board& board, const BoardPod& seat) const {
  const MutexLock lock(mutex_);
  const auto found = moves_.find(seat.pod->uid);
  return found != moves_.end() && Holds(board, found->second.exchange) ? found->second.to
                                                                       : seat.node;
}

bool PlaceMoves::Holds(const Board& board, uint64_t exchange) const {
  return std::all_of(moves_.begin(), moves_.end(), [&](const auto& entry) {
    const auto& [uid, move] = entry;
    return move.exchange != exchange || FitsTo(board, uid, move);
  });
}

bool PlaceMoves::MoveTo(std::string_view node, const Board& board, const BoardPod& seat) {
  if (!IsAsGood(node, board, seat)) return false;
  const std::string place = PlaceOf(board, seat);
  const MutexLock lock(mutex_);
  const std::string& uid = seat.pod->uid;
  const auto known = moves_.find(uid);
  const bool has_moved = known != moves_.end();
  if (has_moved && (passed_.contains(uid) || known->second.to != place)) return false;
  const uint64_t exchange = has_moved ? known->second.exchange : ++exchanges_;
  if (!taken_.contains(std::string(node)) && IsFree(node, board, seat)) {
    taken_.emplace(node);
    moves_[uid] = {seat.node, std::string(node), /*is_free=*/true, exchange};
    return true;
  }
  const BoardPod* const with = PartnerOn(node, board, seat, place);
  if (with == nullptr) return false;
  moves_[uid] = {seat.node, with->node, /*is_free=*/false, exchange};
  moves_[with->pod->uid] = {with->node, place, /*is_free=*/false, exchange};
  return true;
}

const BoardPod* PlaceMoves::PartnerOn(std::string_view node, const Board& board,
                                      const BoardPod& seat, const std::string& place) const {
  const ReservedNode* const reserved = board.ReservationsOn(node);
  const auto at_place = board.snapshot().FindNode(place);
  if (reserved == nullptr || !at_place || board.KeptFor(place) != nullptr) return nullptr;
  const ResourceList requests = RequestsOf(*seat.pod);
  for (const Reservation& other : reserved->reservations) {
    if (other.requests != requests || passed_.contains(other.uid)) continue;
    const BoardPod* const with = board.Find(other.uid);
    if (with == nullptr || with->node != node || moves_.contains(other.uid)) continue;
    if (!with->unit->gang || !with->unit->takes_equal) continue;
    if (!with->pod->nominated_node_name.empty()) continue;
    if (MayBeOn(*with->pod, at_place->node())) return with;
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
  absl::erase_if(moves_, [&](auto& entry) {
    Move& move = entry.second;
    const auto known = made.find(entry.first);
    if (known == made.end()) return false;
    move.from = known->second.to;
    return move.to == move.from;
  });
  absl::flat_hash_set<uint64_t> void_ones;
  for (const auto& [uid, move] : moves_) {
    if (!FitsTo(board, uid, move)) void_ones.insert(move.exchange);
  }
  absl::erase_if(moves_,
                 [&](const auto& entry) { return void_ones.contains(entry.second.exchange); });
  taken_.clear();
  for (const auto& [uid, move] : moves_) {
    if (move.is_free) taken_.insert(move.to);
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
