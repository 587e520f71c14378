#include "gang/desk/nominations/contenders.h"

#include <algorithm>

#include "gang/plan/room.h"

namespace outrigger::desk {
namespace {

// What is missing in one of the lists is zero.
ResourceList Least(const ResourceList& a, const ResourceList& b) {
  ResourceList least;
  for (const auto& [name, quantity] : a) {
    const Quantity* const other = b.Find(name);
    if (other != nullptr) least.Append(name, std::min(quantity, *other));
  }
  least.Normalize();
  return least;
}

}  // namespace

bool Contenders::AnyFor(const BoardUnit& unit) {
  if (!is_found_) Find();
  if (!least_) return false;
  const auto found = most_free_.find(&unit);
  return found != most_free_.end() && found->second.Covers(*least_);
}

void Contenders::Find() {
  is_found_ = true;
  size_t count = 0;
  board_->ForEachPod([&](const BoardPod& seat) {
    const bool is_planned = seat.unit == nullptr || seat.unit->gang;
    if (is_planned || !seat.pod->scheduling_gates.empty()) return;
    if (board_->holds() && seat.node.empty()) return;  // it is held
    if (++count > kMost) {
      least_.emplace();
    } else {
      const ResourceList requests = board_->RequestsOf(*seat.pod);
      least_ = least_ ? Least(*least_, requests) : requests;
    }
  });
  if (!least_) return;
  const plan::SchedulerChecks* const checks = board_->plan_options().checks.get();
  board_->ForEachPod([&](const BoardPod& seat) {
    if (seat.unit == nullptr || !seat.unit->gang || seat.node.empty()) return;
    const auto room = plan::RoomOn(*snapshot_, seat.node, checks);
    if (room) most_free_[seat.unit].Max(room->free);
  });
}

}  // namespace outrigger::desk
