// What opens and ends barriers from outside of their calls: plans, and who is in charge.

#include <algorithm>
#include <set>
#include <utility>

#include "calls/barrier.h"
#include "calls/waiting_gang.h"
#include "common/desk_names.h"

namespace outrigger::gang {

void Barriers::OnPlan(const std::shared_ptr<const Board>& board) {
  Lock lock(mutex_);
  board_ = board;
  std::vector<plan::UnitKey> keys;
  for (auto& [key, gate] : gates_) {
    std::set<std::string_view> shown;
    for (const BoundMember& member : board->BoundOf(key)) shown.insert(member.uid);
    // What the board shows it shows until it is no more; what it does not, nor wants a place for,
    // is gone.
    std::erase_if(gate.bound, [&](const auto& member) {
      return shown.contains(member.first) || board->Find(member.first) == nullptr;
    });
    keys.push_back(key);
  }
  for (const plan::UnitKey& key : keys) {
    const auto at = gates_.find(key);
    if (at == gates_.end()) continue;
    WaitingGang& gate = at->second;
    const BoardUnit* unit = board->FindUnit(key);
    if (!gate.waiters.empty() && (unit == nullptr || !unit->fits)) {
      const std::string why =
          WaitingText(key, unit == nullptr ? "members" : std::string_view(unit->word));
      Fail(key, &gate, BarrierEnd::kNoRoom, why, &lock);
    } else if (gate.since && options_.now() >= DeadlineOf(key, &gate)) {
      Fail(key, &gate, BarrierEnd::kTimeout, "its gang did not become complete in time", &lock);
    } else {
      TryOpen(key, &lock);
    }
  }
  std::erase_if(gates_, [](const auto& entry) {
    const WaitingGang& gate = entry.second;
    return gate.waiters.empty() && gate.committing.empty() && gate.bound.empty();
  });
}

void Barriers::FailWaiter(const plan::UnitKey& gang, std::string_view uid, const std::string& why) {
  Lock lock(mutex_);
  const auto at = gates_.find(gang);
  if (at == gates_.end()) return;
  const auto found = at->second.waiters.find(uid);
  if (found == at->second.waiters.end()) return;
  Waiter* const waiter = found->second;
  waiter->state = Waiter::State::kFailed;
  waiter->why = why;
  waiter->wake.notify_one();
  Leave(gang, waiter, &lock);
}

void Barriers::FailGang(const plan::UnitKey& gang, BarrierEnd end, const std::string& why) {
  Lock lock(mutex_);
  const auto at = gates_.find(gang);
  if (at != gates_.end() && !at->second.waiters.empty()) Fail(gang, &at->second, end, why, &lock);
}

void Barriers::FailAll(BarrierEnd end, const std::string& why) {
  Lock lock(mutex_);
  std::vector<plan::UnitKey> keys;
  for (const auto& [key, gate] : gates_) {
    if (!gate.waiters.empty()) keys.push_back(key);
  }
  for (const plan::UnitKey& key : keys) {
    const auto at = gates_.find(key);
    if (at != gates_.end()) Fail(key, &at->second, end, why, &lock);
  }
}

void Barriers::Close(const std::string& why) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = why;
  }
  FailAll(BarrierEnd::kStopped, why);
}

std::map<plan::UnitKey, std::vector<Waiting>> Barriers::Waiters() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::map<plan::UnitKey, std::vector<Waiting>> all;
  for (const auto& [key, gate] : gates_) {
    for (const auto& [uid, waiter] : gate.waiters) all[key].push_back({uid, waiter->node});
  }
  return all;
}

bool Barriers::IsCommitting(const plan::UnitKey& gang) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto at = gates_.find(gang);
  return at != gates_.end() && !at->second.committing.empty();
}

std::map<std::string, plan::UnitKey, std::less<>> Barriers::LetThrough() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::map<std::string, plan::UnitKey, std::less<>> all;
  const auto add = [&](const plan::UnitKey& gang, const std::string& uid) {
    if (board_ == nullptr || board_->GangOfBound(uid) == nullptr) all.emplace(uid, gang);
  };
  for (const auto& [key, gate] : gates_) {
    for (const auto& [uid, role] : gate.committing) add(key, uid);
    for (const auto& [uid, role] : gate.bound) add(key, uid);
  }
  return all;
}

std::set<std::string, std::less<>> Barriers::Leaving() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return leaving_.At(options_.now());
}

size_t Barriers::standing() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<size_t>(std::count_if(gates_.begin(), gates_.end(), [](const auto& entry) {
    return !entry.second.waiters.empty();
  }));
}

size_t Barriers::waiting() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  size_t count = 0;
  for (const auto& [key, gate] : gates_) count += gate.waiters.size();
  return count;
}

}  // namespace outrigger::gang
