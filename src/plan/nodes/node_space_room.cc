// What is free on nodes, and taking it.

#include <algorithm>
#include <limits>
#include <vector>

#include "plan/nodes/node_space.h"

namespace outrigger::plan {
namespace {

int64_t RoomIn(const int64_t* row, const std::vector<Amount>& requests, size_t without) {
  int64_t room = kAnyAmount;
  for (const auto& [column, value] : requests) {
    if (column == without) continue;
    if (row[column] < value) return 0;  // most nodes are full: a division costs as much as the rest
    room = std::min(room, row[column] / value);
  }
  return room;
}

constexpr size_t kNoColumn = ~size_t{0};

}  // namespace

int64_t NodeSpace::FreeInAll(size_t column) const {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  int64_t sum = 0;
  for (const Slot slot : in_order_) {
    if (held_[slot] != 0 || nodes_[slot]->unschedulable) continue;
    const int64_t free = std::max<int64_t>(0, Row(slot)[column]);
    sum = free > kMost - sum ? kMost : sum + free;
  }
  return sum;
}

int64_t NodeSpace::Room(ShapeIndex shape, Slot slot) const {
  if (!MayTake(shape, slot)) return 0;
  return RoomIn(Row(slot), shapes_[shape].shape.requests, kNoColumn);
}

int64_t NodeSpace::RoomWhenEmpty(ShapeIndex shape, Slot slot) const {
  if (!MayTake(shape, slot)) return 0;
  return RoomIn(&allocatable_[slot * columns_.size()], shapes_[shape].shape.requests, kNoColumn);
}

int64_t NodeSpace::RoomWhenLeft(ShapeIndex shape, Slot slot) const {
  if (!MayTake(shape, slot)) return 0;
  const size_t row = slot * columns_.size();
  std::vector<int64_t> left(columns_.size());
  for (size_t column = 0; column < left.size(); ++column) {
    left[column] = allocatable_[row + column] - (base_[row + column] - free_[row + column]);
  }
  return RoomIn(left.data(), shapes_[shape].shape.requests, kNoColumn);
}

int64_t NodeSpace::RoomWithout(ShapeIndex shape, Slot slot, size_t column) const {
  if (!MayTake(shape, slot)) return 0;
  return RoomIn(Row(slot), shapes_[shape].shape.requests, column);
}

int64_t NodeSpace::RoomInColumn(ShapeIndex shape, Slot slot, size_t column) const {
  if (!MayTake(shape, slot)) return 0;
  for (const auto& [of, value] : shapes_[shape].shape.requests) {
    if (of == column) return std::max<int64_t>(0, Row(slot)[column] / value);
  }
  return std::numeric_limits<int64_t>::max();
}

bool NodeSpace::HasRoom(ShapeIndex shape, Slot slot) const {
  if (!MayTake(shape, slot)) return false;
  const int64_t* row = Row(slot);
  for (const auto& [column, value] : shapes_[shape].shape.requests) {
    if (row[column] < value) return false;
  }
  return true;
}

void NodeSpace::Take(ShapeIndex shape, Slot slot, int64_t count) {
  int64_t* row = &free_[slot * columns_.size()];
  for (const auto& [column, value] : shapes_[shape].shape.requests) row[column] -= count * value;
  const auto& kind = shapes_[shape].shape.kind;
  if (!kind) return;
  placed_[{*kind, slot}] += count;
  for (; count > 0; --count) pairs_.Add(*kind, slot);
  for (; count < 0; ++count) pairs_.Remove(*kind, slot);
}

}  // namespace outrigger::plan
