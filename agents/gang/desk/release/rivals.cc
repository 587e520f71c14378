#include "gang/desk/release/rivals.h"

#include "gang/desk/nominations/life_signs.h"
#include "gang/plan/room.h"

namespace outrigger::desk {
namespace {

constexpr std::chrono::seconds kSeenFor{5};
// To look costs a look at each node. So recently seen is as good.
constexpr std::chrono::seconds kLooksEvery{1};

// What becomes free helps it: it does not wait for a volume, say.
bool WaitsForRoom(const Pod& pod) {
  const std::string& message = pod.unscheduled_message;
  return WasTried(pod) && (message.find("Insufficient ") != std::string::npos ||
                           message.find("Too many pods") != std::string::npos);
}

}  // namespace

void Rivals::OnPlan(const Board* board, const ClusterSnapshot* snapshot, Time now) {
  board_ = board;
  snapshot_ = snapshot;
  now_ = now;
  waiting_.reset();
  next_look_.Reset();
  std::erase_if(seen_, [now](const auto& entry) { return now - entry.second >= kSeenFor; });
}

bool Rivals::AnyFor(const plan::UnitKey& unit, std::span<const BoardPod* const> seats) {
  const auto seen = seen_.find(unit);
  if (seen == seen_.end() || now_ - seen->second >= kLooksEvery) {
    std::vector<PodPtr> members;
    members.reserve(seats.size());
    for (const BoardPod* seat : seats) members.push_back(seat->pod);
    const auto* const checks = board_->plan_options().checks.get();
    if (plan::ShareANode(*snapshot_, members, Waiting(), checks)) seen_[unit] = now_;
  }
  const auto known = seen_.find(unit);
  if (known == seen_.end()) return false;
  next_look_.Add(known->second + kSeenFor);
  return true;
}

const std::vector<PodPtr>& Rivals::Waiting() {
  if (waiting_) return *waiting_;
  waiting_.emplace();
  if (board_->holds()) return *waiting_;  // each single pod has a place of its own in the plan
  board_->ForEachPod([this](const BoardPod& seat) {
    const bool is_planned = seat.unit == nullptr || seat.unit->gang;
    const bool waits = seat.pod->scheduling_gates.empty() && WaitsForRoom(*seat.pod);
    if (!is_planned && waits) waiting_->push_back(seat.pod);
  });
  return *waiting_;
}

}  // namespace outrigger::desk
