#include "gang/plan/search/causes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gang/plan/groups.h"
#include "gang/plan/planner.h"
#include "gang/plan/search/attempt.h"

namespace outrigger::plan {
namespace {

template <typename RoomOf>
int64_t Sum(const NodeSpace& space, int64_t enough, RoomOf room_of) {
  int64_t sum = 0;
  for (const Slot slot : space.in_order()) {
    sum += room_of(slot);
    if (sum >= enough) break;
  }
  return sum;
}

Cause OfColumn(const NodeSpace& space, size_t column) {
  if (column == Columns::kPodCount) return {Cause::Class::kPods, ""};
  return {Cause::Class::kResource, space.columns().Name(column)};
}

// The columns of a shape in the order of the resources' names, the number of pods last.
std::vector<size_t> ColumnsOf(const NodeSpace& space, ShapeIndex shape) {
  std::vector<size_t> columns;
  for (const auto& [column, value] : space.shape(shape).requests) columns.push_back(column);
  std::sort(columns.begin(), columns.end(), [&](size_t a, size_t b) {
    if ((a == Columns::kPodCount) != (b == Columns::kPodCount)) return b == Columns::kPodCount;
    return space.columns().Name(a) < space.columns().Name(b);
  });
  return columns;
}

Shape WithoutClaims(Shape shape) {
  shape.pinned.clear();
  return shape;
}

// Which resource is short for `count` members of a shape that some nodes take.
Cause ScarcestOf(const NodeSpace& space, ShapeIndex shape, int64_t count) {
  size_t best = Columns::kPodCount;
  int64_t least = -1;
  for (const size_t column : ColumnsOf(space, shape)) {
    const auto without = [&](Slot slot) {
      return std::min(count, space.RoomWithout(shape, slot, column));
    };
    if (Sum(space, count, without) >= count) return OfColumn(space, column);
    // Of several that are short the one that alone would let the fewest in is named.
    const auto alone = [&](Slot slot) {
      return std::min(count, space.RoomInColumn(shape, slot, column));
    };
    const int64_t room = Sum(space, count, alone);
    if (least < 0 || room < least) {
      least = room;
      best = column;
    }
  }
  // Even if one column were free throughout: all nodes together are too few where each holds all.
  if (least >= count) return Cause{Cause::Class::kNodes, ""};
  return OfColumn(space, best);
}

// What is short for `count` members of a shape, or nothing.
std::optional<Cause> ShortFor(const NodeSpace& space, ShapeIndex shape, int64_t count) {
  if (Sum(space, count, [&](Slot slot) { return space.Room(shape, slot); }) >= count) return {};
  const auto& slots = space.in_order();
  const auto takes = [&](Slot slot) { return space.MayTake(shape, slot); };
  if (std::none_of(slots.begin(), slots.end(), takes)) {
    const Shape free = WithoutClaims(space.shape(shape));
    const auto would_take = [&](Slot slot) { return MayTake(free, space.node(slot)); };
    const bool claims = std::any_of(slots.begin(), slots.end(), would_take);
    return Cause{claims ? Cause::Class::kClaims : Cause::Class::kNodes, ""};
  }
  const Cause cause = ScarcestOf(space, shape, count);
  const bool pinned = !space.shape(shape).pinned.empty();
  if (!pinned || cause.kind == Cause::Class::kNodes) return cause;
  return Cause{Cause::Class::kClaims, TextOf(cause)};  // there may be plenty elsewhere
}

// What most nodes with room have against the members that find no place once the others have one,
// because of other pods.
std::optional<Cause> Against(NodeSpace* space, const Seats& seats) {
  std::map<PodPairs::Refusal, size_t> counts;
  Ground ground(space);
  Seats trial = seats;
  Attempt attempt(space, &ground, &trial);
  attempt.Greedy(/*keep_reservations=*/false, trial.order);
  for (const Seat& seat : trial.seats) {
    if (seat.slot != kNoSlot) continue;
    for (const Slot slot : space->in_order()) {
      if (space->HasRoom(seat.shape, slot)) ++counts[space->RefusalAt(seat.shape, slot)];
    }
    break;  // of the first: many are alike
  }
  attempt.Undo();
  counts.erase(PodPairs::Refusal::kNone);
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto most = std::max_element(counts.begin(), counts.end(), fewer);
  if (most == counts.end()) return std::nullopt;
  switch (most->first) {
    case PodPairs::Refusal::kHostPorts:
      return Cause{Cause::Class::kHostPorts, ""};
    case PodPairs::Refusal::kSpread:
      return Cause{Cause::Class::kSpread, ""};
    case PodPairs::Refusal::kAffinity:
      return Cause{Cause::Class::kAffinity, ""};
    default:
      return Cause{Cause::Class::kAntiAffinity, ""};
  }
}

}  // namespace

Cause FindMissing(const Unit& unit, const Seats& seats) {
  if (static_cast<int64_t>(seats.seats.size()) < seats.need) return {Cause::Class::kMembers, ""};
  std::vector<int64_t> exist(seats.role_need.size());
  for (const Seat& seat : seats.seats) {
    if (seat.role >= 0) ++exist[static_cast<size_t>(seat.role)];
  }
  for (size_t i = 0; i < exist.size(); ++i) {
    if (exist[i] < seats.role_need[i]) return {Cause::Class::kRole, unit.roles[i].name};
  }
  return {};
}

Cause FindCause(NodeSpace* of, const Unit& unit, const Seats& seats, bool gave_up) {
  const NodeSpace& space = *of;
  if (Cause missing = FindMissing(unit, seats); missing.kind != Cause::Class::kNone) return missing;
  if (seats.lost_waiter != nullptr) return {Cause::Class::kWaiter, seats.lost_waiter->pod->name};
  std::map<ShapeIndex, int64_t> counts;
  for (const Seat& seat : seats.seats) ++counts[seat.shape];
  const int64_t spare = static_cast<int64_t>(seats.seats.size()) - seats.need;
  ShapeIndex last = ~ShapeIndex{0};
  for (const uint32_t index : seats.order) {
    const ShapeIndex shape = seats.seats[index].shape;
    if (shape == last) continue;
    last = shape;
    if (auto cause = ShortFor(space, shape, counts[shape] - spare)) return *cause;
  }
  for (size_t i = 0; i < seats.seats.size(); ++i) {
    const Seat& seat = seats.seats[i];
    if (seat.waits_on != kNoSlot && !space.HasRoom(seat.shape, seat.waits_on)) {
      return {Cause::Class::kWaiter, unit.members[i].pod->name};
    }
  }
  if (seats.has_refusals) return {Cause::Class::kRefused, ""};
  if (seats.has_pairs) {
    if (auto cause = Against(of, seats)) return *cause;
  }
  if (!unit.topology.required.empty()) {
    return {Cause::Class::kTopology, unit.topology.required.front()};
  }
  return {gave_up ? Cause::Class::kEffort : Cause::Class::kShape, ""};
}

std::string TextOf(const Cause& cause) {
  switch (cause.kind) {
    case Cause::Class::kNone:
      return "nothing";
    case Cause::Class::kMembers:
      return "members";
    case Cause::Class::kRole:
      return absl::StrCat("members of role ", cause.detail);
    case Cause::Class::kNodes:
      return "nodes";
    case Cause::Class::kClaims:
      return absl::StrCat(cause.detail, cause.detail.empty() ? "" : " on ",
                          "nodes of volumes and claims");
    case Cause::Class::kResource:
      return cause.detail;
    case Cause::Class::kMinResources:
      return absl::StrCat(cause.detail, " (minResources)");
    case Cause::Class::kPods:
      return "pods per node";
    case Cause::Class::kHostPorts:
      return "host ports";
    case Cause::Class::kAffinity:
      return "pod affinity";
    case Cause::Class::kAntiAffinity:
      return "pod anti-affinity";
    case Cause::Class::kSpread:
      return "topology spread";
    case Cause::Class::kTopology:
      return absl::StrCat("room within one ", cause.detail);
    case Cause::Class::kWaiter:
      return absl::StrCat("the place of ", cause.detail);
    case Cause::Class::kRefused:
      return "refused by kube-scheduler";
    case Cause::Class::kShape:
      return "room for all members together";
    case Cause::Class::kEffort:
      return "search given up";
    case Cause::Class::kTurn:
      return "its turn";
  }
  return "";
}

std::string_view TextOf(GroupCause cause) {
  switch (cause) {
    case GroupCause::kNone:
      return "a place";
    case GroupCause::kLeftToScheduler:
      return "kube-scheduler";
    case GroupCause::kNotServed:
      return "PodGroups are not served";
    case GroupCause::kUnknownVersion:
      return "the version of PodGroups is not known";
    case GroupCause::kObjectMissing:
      return "no PodGroup";
    case GroupCause::kInvalidMinimum:
      return "its minimum is not accepted";
    case GroupCause::kTooManyMembers:
      return "too many members";
    case GroupCause::kTooManyWaiting:
      return "its minimum is above --max-waiting-binds";
    case GroupCause::kTooMuch:
      return "it asks for more than is planned";
    case GroupCause::kInvalidTopology:
      return "its topology is not accepted";
    case GroupCause::kTooFewMembers:
      return "members";
  }
  return "";
}

}  // namespace outrigger::plan
