// Which node may stand in for a planned one that kube-scheduler does not offer.
#include <algorithm>
#include <optional>
#include <string_view>

#include "outrigger/desk/admission.h"
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

bool IsOnlyOf(const BoardUnit& unit, const Board& board, const ReservedNode& node) {
  return std::all_of(node.reservations.begin(), node.reservations.end(),
                     [&](const Reservation& place) { return &board.units()[place.unit] == &unit; });
}

}  // namespace

bool IsEqualPlace(const Board& board, const BoardPod& seat, std::string_view node) {
  if (seat.unit == nullptr || !seat.unit->takes_equal || seat.node.empty()) return false;
  if (board.KeptFor(node) != nullptr) return false;
  const ReservedNode* const reserved = board.ReservationsOn(node);
  if (reserved != nullptr && !IsOnlyOf(*seat.unit, board, *reserved)) return false;
  const auto planned = board.snapshot().FindNode(seat.node);
  const auto offered = board.snapshot().FindNode(node);
  if (!planned || !offered || !AreEqual(planned->node(), offered->node())) return false;
  const plan::SchedulerChecks* const checks = board.plan_options().checks.get();
  const auto room = plan::RoomOn(board.snapshot(), node, checks);
  if (!room) return false;
  ResourceList free = room->free;
  if (reserved != nullptr) {
    for (const Reservation& place : reserved->reservations) free.Subtract(place.requests);
  }
  return free.Covers(board.RequestsOf(*seat.pod));
}

}  // namespace outrigger::desk
