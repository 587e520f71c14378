#include "calls/barrier.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>

#include "common/desk_names.h"
#include "outrigger/base/mutex.h"

namespace outrigger::gang {

using Time = BarrierOptions::Time;

struct Barriers::Waiter {
  enum class State { kWaiting, kGo, kFailed };
  std::string uid;
  std::string node;
  std::string role;
  std::stop_token abandoned;
  BarrierOptions::Time longest;   // until when its call may last
  BarrierOptions::Time deadline;  // until when it waits: that, or when its gang gives up
  std::condition_variable_any wake;
  State state = State::kWaiting;
  std::string why;  // kFailed
};

struct Barriers::WaitingGang {
  std::map<std::string, Waiter*, std::less<>> waiters;
  // Let through and not bound yet, and bound without the board showing it.
  std::map<std::string, std::string, std::less<>> committing;  // UID to role
  std::map<std::string, std::string, std::less<>> bound;
  std::optional<BarrierOptions::Time> since;  // the first waiter
  bool had_open_claims = false;               // since then
};

void LeavingPods::Add(std::string_view uid, Time now) {
  if (now - cleared_ > kLongest) {
    std::erase_if(since_, [&](const auto& entry) { return now - entry.second > kLongest; });
    cleared_ = now;
  }
  since_.insert_or_assign(std::string(uid), now);
}

void LeavingPods::Remove(std::string_view uid) {
  const auto found = since_.find(uid);
  if (found != since_.end()) since_.erase(found);
}

std::set<std::string, std::less<>> LeavingPods::At(Time now) const {
  std::set<std::string, std::less<>> uids;
  for (const auto& [uid, since] : since_) {
    if (now - since <= kLongest) uids.insert(uid);
  }
  return uids;
}

std::string_view TextOf(BarrierEnd end) {
  switch (end) {
    case BarrierEnd::kOpened:
      return "opened";
    case BarrierEnd::kTimeout:
      return "timeout";
    case BarrierEnd::kNoRoom:
      return "no room";
    case BarrierEnd::kNotInCharge:
      return "not in charge";
    case BarrierEnd::kGone:
      return "gone";
    case BarrierEnd::kStopped:
      return "stopped";
  }
  return "";
}

Barriers::Barriers(BarrierOptions options) : options_(std::move(options)) {}

Barriers::~Barriers() = default;

bool Barriers::IsComplete(const plan::UnitKey& gang, const WaitingGang& gate) const {
  const BoardUnit* unit = board_ == nullptr ? nullptr : board_->FindUnit(gang);
  if (unit == nullptr || !unit->fits) return false;
  // Who is counted twice here makes it more, never less: only then it is worth to look closer.
  const size_t most = board_->BoundOf(gang).size() + gate.bound.size() + gate.committing.size() +
                      gate.waiters.size();
  if (static_cast<int64_t>(most) < unit->minimum) return false;
  std::map<std::string, std::string_view, std::less<>> there;  // UID to role
  for (const BoundMember& member : board_->BoundOf(gang)) there[member.uid] = member.role;
  for (const auto& [uid, role] : gate.bound) there[uid] = role;
  for (const auto& [uid, role] : gate.committing) there[uid] = role;
  for (const auto& [uid, waiter] : gate.waiters) there[uid] = waiter->role;
  if (static_cast<int64_t>(there.size()) < unit->minimum) return false;
  return std::all_of(unit->roles.begin(), unit->roles.end(), [&](const plan::Role& role) {
    return std::count_if(there.begin(), there.end(), [&](const auto& member) {
             return member.second == role.name;
           }) >= role.minimum;
  });
}

// When the gang gives up.
Time Barriers::DeadlineOf(const plan::UnitKey& gang, WaitingGang* gate) const {
  const BoardUnit* unit = board_ == nullptr ? nullptr : board_->FindUnit(gang);
  gate->had_open_claims |= unit != nullptr && unit->has_open_claims;
  const BoardUnit unknown;
  return *gate->since +
         options_.patience.Of(unit == nullptr ? unknown : *unit, gate->had_open_claims);
}

absl::Status Barriers::Wait(const Arrival& arrival) {
  Waiter waiter;
  waiter.uid = arrival.uid;
  waiter.node = arrival.node;
  waiter.role = arrival.role;
  waiter.abandoned = arrival.abandoned;
  MutexLock lock(mutex_);
  if (!closed_.empty()) return absl::AbortedError(closed_);
  WaitingGang& gate = gates_[arrival.gang];
  if (const auto former = gate.waiters.find(arrival.uid); former != gate.waiters.end()) {
    former->second->state = Waiter::State::kFailed;
    former->second->why = "kube-scheduler asks again for this pod";
    former->second->wake.notify_one();
  }
  gate.waiters[waiter.uid] = &waiter;
  leaving_.Remove(arrival.uid);
  const Time now = options_.now();
  if (!gate.since) {
    gate.since = now;
    gate.had_open_claims = false;
  }
  waiter.longest = now + options_.longest;
  waiter.deadline = std::min(waiter.longest, DeadlineOf(arrival.gang, &gate));
  TryOpen(arrival.gang);
  if (waiter.state == Waiter::State::kWaiting && options_.changed) {
    lock.unlock();
    options_.changed();
    lock.lock();
  }
  lock.unlock();
  return Await(arrival.gang, &waiter);
}

absl::Status Barriers::Await(const plan::UnitKey& gang, Waiter* waiter) {
  // The callback takes the mutex, so that it cannot come between the test and the wait. So it is
  // made and destroyed without the lock.
  const std::stop_callback gone(waiter->abandoned, [this, waiter] {
    const MutexLock guard(mutex_);
    waiter->wake.notify_one();
  });
  const MutexLock lock(mutex_);
  return AwaitOutcome(gang, waiter);
}

absl::Status Barriers::AwaitOutcome(const plan::UnitKey& gang, Waiter* waiter) {
  bool late = false;
  while (waiter->state == Waiter::State::kWaiting && !waiter->abandoned.stop_requested() && !late) {
    late = waiter->wake.wait_until(mutex_, waiter->deadline) == std::cv_status::timeout &&
           options_.now() >= waiter->deadline && !MayWaitOn(gang, waiter);
  }
  if (waiter->state == Waiter::State::kWaiting) {
    waiter->why = late ? "its gang did not become complete in time" : "the caller disconnected";
    if (late) {
      Fail(gang, &gates_[gang], BarrierEnd::kTimeout, waiter->why);
    } else {
      Leave(gang, waiter);
      if (options_.changed) {
        mutex_.unlock();
        options_.changed();
        mutex_.lock();
      }
    }
  }
  const bool go = waiter->state == Waiter::State::kGo;
  return go ? absl::OkStatus() : absl::AbortedError(waiter->why);
}

// The gang may have come to be waited for for longer since the waiter came.
bool Barriers::MayWaitOn(const plan::UnitKey& gang, Waiter* waiter) {
  const auto at = gates_.find(gang);
  if (at == gates_.end() || !at->second.since) return false;
  waiter->deadline = std::min(waiter->longest, DeadlineOf(gang, &at->second));
  return options_.now() < waiter->deadline;
}

void Barriers::Remove(const plan::UnitKey& gang, Waiter* waiter) {
  const auto at = gates_.find(gang);
  if (at == gates_.end()) return;
  const auto found = at->second.waiters.find(waiter->uid);
  if (found != at->second.waiters.end() && found->second == waiter) {
    at->second.waiters.erase(found);
    leaving_.Add(waiter->uid, options_.now());
  }
  if (at->second.waiters.empty()) at->second.since.reset();
}

// With its last waiter a barrier ends.
void Barriers::Leave(const plan::UnitKey& gang, Waiter* waiter) {
  const auto at = gates_.find(gang);
  const std::optional<Time> since = at == gates_.end() ? std::nullopt : at->second.since;
  Remove(gang, waiter);
  if (since && !at->second.since) Tell(gang, BarrierEnd::kGone, *since);
}

void Barriers::TryOpen(const plan::UnitKey& gang) {
  const auto at = gates_.find(gang);
  if (at == gates_.end() || at->second.waiters.empty()) return;
  WaitingGang& gate = at->second;
  if (!IsComplete(gang, gate)) return;
  if (options_.may_commit) {
    const absl::Status may = options_.may_commit();
    if (!may.ok()) {
      return Fail(gang, &gate, BarrierEnd::kNotInCharge, std::string(may.message()));
    }
  }
  // Who has gone meanwhile does not count.
  std::vector<Waiter*> gone;
  for (const auto& [uid, waiter] : gate.waiters) {
    if (waiter->abandoned.stop_requested()) gone.push_back(waiter);
  }
  const std::optional<Time> since = gate.since;
  for (Waiter* waiter : gone) {
    waiter->state = Waiter::State::kFailed;
    waiter->why = "the caller disconnected";
    waiter->wake.notify_one();
    Remove(gang, waiter);
  }
  if (since && !gate.since) return Tell(gang, BarrierEnd::kGone, *since);
  if (IsComplete(gang, gate)) Release(gang, &gate);
}

void Barriers::Release(const plan::UnitKey& gang, WaitingGang* gate) {
  const bool first = gate->committing.empty() && gate->bound.empty();
  for (const auto& [uid, waiter] : gate->waiters) {
    gate->committing[uid] = waiter->role;
    waiter->state = Waiter::State::kGo;
    waiter->wake.notify_one();
  }
  gate->waiters.clear();
  const Time since = gate->since.value_or(options_.now());
  gate->since.reset();
  if (first) Tell(gang, BarrierEnd::kOpened, since);
}

void Barriers::Tell(const plan::UnitKey& gang, BarrierEnd end, Time since) {
  if (!options_.ended) return;
  const auto held = std::chrono::duration_cast<std::chrono::milliseconds>(options_.now() - since);
  // It may be that of a gate, which may go meanwhile.
  const plan::UnitKey key = gang;  // NOLINT(performance-unnecessary-copy-initialization)
  mutex_.unlock();
  options_.ended(key, end, held);
  mutex_.lock();
}

void Barriers::Fail(const plan::UnitKey& gang, WaitingGang* gate, BarrierEnd end,
                    const std::string& why) {
  for (const auto& [uid, waiter] : gate->waiters) {
    leaving_.Add(uid, options_.now());
    waiter->state = Waiter::State::kFailed;
    waiter->why = why;
    waiter->wake.notify_one();
  }
  gate->waiters.clear();
  const std::optional<Time> since = std::exchange(gate->since, std::nullopt);
  Tell(gang, end, since.value_or(options_.now()));
}

void Barriers::Bound(const plan::UnitKey& gang, std::string_view uid, bool bound) {
  const MutexLock lock(mutex_);
  WaitingGang& gate = gates_[gang];
  const auto found = gate.committing.find(uid);
  if (found == gate.committing.end()) return;
  if (bound) {
    gate.bound[found->first] = found->second;
  } else {
    leaving_.Add(uid, options_.now());
  }
  gate.committing.erase(found);
}

void Barriers::OnPlan(const std::shared_ptr<const Board>& board) {
  const MutexLock lock(mutex_);
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
      Fail(key, &gate, BarrierEnd::kNoRoom, why);
    } else if (gate.since && options_.now() >= DeadlineOf(key, &gate)) {
      Fail(key, &gate, BarrierEnd::kTimeout, "its gang did not become complete in time");
    } else {
      TryOpen(key);
    }
  }
  std::erase_if(gates_, [](const auto& entry) {
    const WaitingGang& gate = entry.second;
    return gate.waiters.empty() && gate.committing.empty() && gate.bound.empty();
  });
}

void Barriers::FailWaiter(const plan::UnitKey& gang, std::string_view uid, const std::string& why) {
  const MutexLock lock(mutex_);
  const auto at = gates_.find(gang);
  if (at == gates_.end()) return;
  const auto found = at->second.waiters.find(uid);
  if (found == at->second.waiters.end()) return;
  Waiter* const waiter = found->second;
  waiter->state = Waiter::State::kFailed;
  waiter->why = why;
  waiter->wake.notify_one();
  Leave(gang, waiter);
}

void Barriers::FailGang(const plan::UnitKey& gang, BarrierEnd end, const std::string& why) {
  const MutexLock lock(mutex_);
  const auto at = gates_.find(gang);
  if (at != gates_.end() && !at->second.waiters.empty()) Fail(gang, &at->second, end, why);
}

void Barriers::FailAll(BarrierEnd end, const std::string& why) {
  const MutexLock lock(mutex_);
  std::vector<plan::UnitKey> keys;
  for (const auto& [key, gate] : gates_) {
    if (!gate.waiters.empty()) keys.push_back(key);
  }
  for (const plan::UnitKey& key : keys) {
    const auto at = gates_.find(key);
    if (at != gates_.end()) Fail(key, &at->second, end, why);
  }
}

void Barriers::Close(const std::string& why) {
  {
    const MutexLock lock(mutex_);
    closed_ = why;
  }
  FailAll(BarrierEnd::kStopped, why);
}

std::map<plan::UnitKey, std::vector<Waiting>> Barriers::Waiters() const {
  const MutexLock lock(mutex_);
  std::map<plan::UnitKey, std::vector<Waiting>> all;
  for (const auto& [key, gate] : gates_) {
    for (const auto& [uid, waiter] : gate.waiters) all[key].push_back({uid, waiter->node});
  }
  return all;
}

bool Barriers::IsCommitting(const plan::UnitKey& gang) const {
  const MutexLock lock(mutex_);
  const auto at = gates_.find(gang);
  return at != gates_.end() && !at->second.committing.empty();
}

std::map<std::string, plan::UnitKey, std::less<>> Barriers::LetThrough() const {
  const MutexLock lock(mutex_);
  std::map<std::string, plan::UnitKey, std::less<>> all;
  const auto add = [&](const plan::UnitKey& gang, const std::string& uid)
                       ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
                         if (board_ == nullptr || board_->GangOfBound(uid) == nullptr)
                           all.emplace(uid, gang);
                       };
  for (const auto& [key, gate] : gates_) {
    for (const auto& [uid, role] : gate.committing) add(key, uid);
    for (const auto& [uid, role] : gate.bound) add(key, uid);
  }
  return all;
}

std::set<std::string, std::less<>> Barriers::Leaving() const {
  const MutexLock lock(mutex_);
  return leaving_.At(options_.now());
}

size_t Barriers::standing() const {
  const MutexLock lock(mutex_);
  return static_cast<size_t>(std::count_if(gates_.begin(), gates_.end(), [](const auto& entry) {
    return !entry.second.waiters.empty();
  }));
}

size_t Barriers::waiting() const {
  const MutexLock lock(mutex_);
  size_t count = 0;
  for (const auto& [key, gate] : gates_) count += gate.waiters.size();
  return count;
}

}  // namespace outrigger::gang
