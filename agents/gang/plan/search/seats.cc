#include "gang/plan/search/seats.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

namespace outrigger::plan {
namespace {

std::vector<Slot> SlotsOf(const NodeSpace& space, const std::vector<std::string>& names) {
  std::vector<Slot> slots;
  for (const std::string& name : names) {
    if (const Slot slot = space.Find(name); slot != kNoSlot) slots.push_back(slot);
  }
  return slots;
}

// By the list that members share.
using SlotsOfSpecs =
    std::map<const std::vector<std::string>*, std::shared_ptr<const std::vector<uint8_t>>>;

std::shared_ptr<const std::vector<uint8_t>> RefusedToSpec(const NodeSpace& space,
                                                          const Member& member,
                                                          SlotsOfSpecs* known) {
  if (member.refused_to_spec == nullptr) return nullptr;
  auto& slots = (*known)[member.refused_to_spec.get()];
  if (slots != nullptr) return slots;
  std::vector<uint8_t> refused;
  for (const Slot slot : SlotsOf(space, *member.refused_to_spec)) {
    if (slot >= refused.size()) refused.resize(slot + 1);
    refused[slot] = 1;
  }
  slots = std::make_shared<const std::vector<uint8_t>>(std::move(refused));
  return slots;
}

int RoleOf(const Unit& unit, const std::string& name) {
  for (size_t i = 0; i < unit.roles.size(); ++i) {
    if (unit.roles[i].name == name && unit.roles[i].minimum > 0) return static_cast<int>(i);
  }
  return -1;
}

Seat SeatOf(const Unit& unit, const Member& member, const NodeSpace& space, ShapeIndex shape) {
  Seat seat;
  seat.shape = shape;
  seat.role = RoleOf(unit, member.role);
  if (!member.waits_on.empty()) seat.waits_on = space.Find(member.waits_on);
  const std::string& reserved = member.reserved.empty() ? member.ahead : member.reserved;
  if (!reserved.empty()) seat.reserved = space.Find(reserved);
  seat.refused = SlotsOf(space, member.refused);
  return seat;
}

// Large members first: small ones fit into what is left. What is equal keeps the members' order.
void Order(const NodeSpace& space, Seats* seats) {
  seats->order.resize(seats->seats.size());
  std::iota(seats->order.begin(), seats->order.end(), 0U);
  if (seats->shapes.size() <= 1) return;
  const auto before = [&](uint32_t a, uint32_t b) {
    const ShapeIndex of_a = seats->seats[a].shape;
    const ShapeIndex of_b = seats->seats[b].shape;
    if (of_a == of_b) return false;
    const double weight_a = space.Weight(of_a);
    const double weight_b = space.Weight(of_b);
    if (weight_a != weight_b) return weight_a > weight_b;
    return space.Signature(of_a) < space.Signature(of_b);
  };
  std::stable_sort(seats->order.begin(), seats->order.end(), before);
}

void FindShapes(Seats* seats) {
  for (const Seat& seat : seats->seats) {
    // Members of one shape usually follow each other.
    if (!seats->shapes.empty() && seats->shapes.back() == seat.shape) continue;
    seats->shapes.push_back(seat.shape);
  }
  std::sort(seats->shapes.begin(), seats->shapes.end());
  seats->shapes.erase(std::unique(seats->shapes.begin(), seats->shapes.end()), seats->shapes.end());
}

std::string LikenessOf(const Unit& unit, const Seats& seats) {
  std::map<std::pair<ShapeIndex, int>, size_t> counts;
  for (const Seat& seat : seats.seats) ++counts[{seat.shape, seat.role}];
  // Of a single shape it does not matter how many there are, only how many must be placed.
  const bool simple = counts.size() == 1 && seats.role_need.empty();
  std::string text;
  for (const auto& [kind, count] : counts) {
    absl::StrAppend(&text, kind.first, "*", simple ? 0 : count, "@", kind.second, ";");
  }
  for (const int64_t need : seats.role_need) absl::StrAppend(&text, need, ",");
  for (const std::string& label : unit.topology.required) absl::StrAppend(&text, "/", label);
  return text;
}

}  // namespace

Seats SeatsOf(const Unit& unit, NodeSpace* space, std::span<const ShapeIndex> shapes) {
  Seats seats;
  seats.need = std::max<int64_t>(0, unit.minimum - unit.bound);
  for (const Role& role : unit.roles) {
    seats.role_need.push_back(std::max<int64_t>(0, role.minimum - role.bound));
  }
  SlotsOfSpecs specs;
  seats.seats.reserve(unit.members.size());
  for (size_t m = 0; m < unit.members.size(); ++m) {
    const Member& member = unit.members[m];
    Seat& seat = seats.seats.emplace_back(SeatOf(unit, member, *space, shapes[m]));
    seat.refused_to_spec = RefusedToSpec(*space, member, &specs);
    const bool waits = !member.waits_on.empty();
    if (waits && seat.waits_on == kNoSlot) seats.lost_waiter = &member;
    seats.has_refusals |= seat.HasRefusals();
    seats.plain &= !waits && seat.reserved == kNoSlot && !seat.HasRefusals();
  }
  const auto has_place = [](const Member& member) {
    return !member.waits_on.empty() || !member.reserved.empty();
  };
  if (unit.bound == 0 && std::none_of(unit.members.begin(), unit.members.end(), has_place)) {
    seats.in_all = space->AmountsOf(unit.min_resources);
  }
  FindShapes(&seats);
  seats.has_pairs = std::any_of(seats.shapes.begin(), seats.shapes.end(), [&](ShapeIndex shape) {
    return space->shape(shape).kind.has_value();
  });
  seats.plain &= !seats.has_pairs;
  Order(*space, &seats);
  seats.plain &= unit.topology.required.empty() || unit.topology.bound_on.empty();
  if (seats.plain) seats.likeness = LikenessOf(unit, seats);
  return seats;
}

bool JoinPlaced(const NodeSpace& space, const Unit& unit, const Seats& seats,
                const std::vector<Slot>& slots) {
  const absl::flat_hash_set<Slot> here(slots.begin(), slots.end());
  const auto is_here = [&](Slot slot) { return slot == kNoSlot || here.contains(slot); };
  return std::all_of(unit.topology.bound_on.begin(), unit.topology.bound_on.end(),
                     [&](const std::string& node) { return is_here(space.Find(node)); }) &&
         std::all_of(seats.seats.begin(), seats.seats.end(),
                     [&](const Seat& seat) { return is_here(seat.waits_on); });
}

}  // namespace outrigger::plan
