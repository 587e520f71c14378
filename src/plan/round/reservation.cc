#include "plan/round/reservation.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace outrigger::plan {
namespace {

// How much of each shape is still missing. A node counts for one shape at a time: the room that a
// node has for both is not there twice.
class Missing {
 public:
  Missing(const NodeSpace& space, const Seats& seats) : space_(space) {
    std::map<ShapeIndex, int64_t> counts;
    for (const Seat& seat : seats.seats) ++counts[seat.shape];
    int64_t spare = static_cast<int64_t>(seats.seats.size()) - seats.need;
    for (auto at = seats.order.rbegin(); at != seats.order.rend() && spare > 0; ++at, --spare) {
      --counts[seats.seats[*at].shape];
    }
    for (const uint32_t index : seats.order) {
      const ShapeIndex shape = seats.seats[index].shape;
      const auto same = [&](const auto& entry) { return entry.first == shape; };
      if (std::any_of(counts_.begin(), counts_.end(), same)) continue;
      counts_.emplace_back(shape, counts[shape]);
    }
  }

  bool None() const {
    return std::all_of(counts_.begin(), counts_.end(), [](const auto& c) { return c.second <= 0; });
  }
  // False: empty nodes are too few even for one shape by itself. It costs less than an order.
  bool CouldDo(const std::vector<Slot>& slots) const {
    return std::all_of(counts_.begin(), counts_.end(), [&](const auto& entry) {
      int64_t left = entry.second;
      for (size_t i = 0; i < slots.size() && left > 0; ++i) {
        left -= space_.RoomWhenEmpty(entry.first, slots[i]);
      }
      return left <= 0;
    });
  }
  // False: the node is of no use.
  bool Use(Slot slot, bool when_empty = true) {
    for (auto& [shape, count] : counts_) {
      if (count <= 0) continue;
      const int64_t room =
          when_empty ? space_.RoomWhenEmpty(shape, slot) : space_.Room(shape, slot);
      if (room <= 0) continue;
      count -= room;
      return true;
    }
    return false;
  }

 private:
  const NodeSpace& space_;
  std::vector<std::pair<ShapeIndex, int64_t>> counts_;  // the largest shape first
};

std::vector<Slot> ChooseFrom(const NodeSpace& space, const std::vector<Slot>& slots,
                             const Seats& seats, const std::vector<std::string>& before) {
  Missing missing(space, seats);
  if (!missing.CouldDo(slots)) return {};
  const ShapeIndex shape = seats.seats[seats.order.front()].shape;
  std::set<Slot> reserved;
  for (const Seat& seat : seats.seats) reserved.insert(seat.reserved);
  std::vector<std::tuple<bool, int64_t, Slot>> ordered;
  for (const Slot slot : slots) {
    const bool had = reserved.contains(slot) ||
                     std::binary_search(before.begin(), before.end(), space.node(slot).name);
    ordered.emplace_back(!had, -space.Room(shape, slot), slot);
  }
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    return std::tuple(std::get<0>(a), std::get<1>(a)) < std::tuple(std::get<0>(b), std::get<1>(b));
  });
  std::vector<Slot> chosen;
  for (const auto& [is_new, room, slot] : ordered) {
    if (missing.None()) break;
    if (missing.Use(slot)) chosen.push_back(slot);
  }
  return missing.None() ? chosen : std::vector<Slot>();
}

// The kept nodes while members are shared out to them.
class Shares {
 public:
  Shares(const NodeSpace& space, std::vector<Slot> kept) : space_(space) {
    // So that it does not depend on what is free there now, and stays the same.
    std::sort(kept.begin(), kept.end(),
              [&](Slot a, Slot b) { return space.node(a).name < space.node(b).name; });
    for (const Slot slot : kept) shares_.push_back({slot, {}, 0});
  }

  // True if the seat gets room on that node, or with kNoSlot on any.
  bool Take(const Seat& seat, Slot wanted, std::string* node) {
    for (Share& share : shares_) {
      if (wanted != kNoSlot && share.slot != wanted) continue;
      if (!MayTake(seat, &share)) continue;
      --share.left;
      *node = space_.node(share.slot).name;
      return true;
    }
    return false;
  }

 private:
  struct Share {
    Slot slot;
    std::optional<ShapeIndex> shape;
    int64_t left;
  };

  bool MayTake(const Seat& seat, Share* share) {
    if (std::find(seat.refused.begin(), seat.refused.end(), share->slot) != seat.refused.end()) {
      return false;
    }
    if (!share->shape) {
      const int64_t room = space_.RoomWhenLeft(seat.shape, share->slot);
      if (room <= 0) return false;
      share->shape = seat.shape;
      share->left = room;
    }
    return *share->shape == seat.shape && share->left > 0;
  }

  const NodeSpace& space_;
  std::vector<Share> shares_;
};

}  // namespace

std::vector<Slot> ChooseKept(const NodeSpace& space, DomainTable* domains, const Unit& unit,
                             const Seats& seats, const std::vector<std::string>& before) {
  if (seats.seats.empty()) return {};
  if (unit.topology.required.empty()) return ChooseFrom(space, space.in_order(), seats, before);
  std::vector<Slot> best;
  int64_t best_kept = -1;
  for (const Domain& domain : domains->Of(unit.topology.required)) {
    if (!JoinPlaced(space, unit, seats, domain.slots)) continue;  // of no use there
    std::vector<Slot> chosen = ChooseFrom(space, domain.slots, seats, before);
    if (chosen.empty()) continue;
    const auto kept = std::count_if(chosen.begin(), chosen.end(), [&](Slot slot) {
      return std::binary_search(before.begin(), before.end(), space.node(slot).name);
    });
    const bool better = kept > best_kept || (kept == best_kept && chosen.size() < best.size());
    if (!better) continue;
    best_kept = kept;
    best = std::move(chosen);
  }
  return best;
}

bool HaveRoom(const NodeSpace& space, const Seats& seats, const std::vector<Slot>& kept) {
  Missing missing(space, seats);
  for (const Slot slot : kept) missing.Use(slot, /*when_empty=*/false);
  return missing.None();
}

std::vector<std::string> ShareOut(const NodeSpace& space, const Seats& seats,
                                  std::vector<Slot> kept) {
  std::vector<std::string> nodes(seats.seats.size());
  Shares shares(space, std::move(kept));
  for (const uint32_t index : seats.order) {
    const Seat& seat = seats.seats[index];
    if (seat.reserved != kNoSlot) shares.Take(seat, seat.reserved, &nodes[index]);
  }
  for (const uint32_t index : seats.order) {
    if (nodes[index].empty()) shares.Take(seats.seats[index], kNoSlot, &nodes[index]);
  }
  return nodes;
}

}  // namespace outrigger::plan
