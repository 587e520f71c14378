#include "calls/barrier.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "calls/waiting_gang.h"

namespace outrigger::gang {

using Time = BarrierOptions::Time;

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
  Lock lock(mutex_);
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
  TryOpen(arrival.gang, &lock);
  if (waiter.state == Waiter::State::kWaiting && options_.changed) {
    lock.unlock();
    options_.changed();
    lock.lock();
  }
  return Await(arrival.gang, &waiter, &lock);
}

absl::Status Barriers::Await(const plan::UnitKey& gang, Waiter* waiter, Lock* lock) {
  // Without the lock: the callback takes the mutex, so that it cannot come between the test and the
  // wait, and whoever destroys it may have to wait for it.
  lock->unlock();
  const std::stop_callback gone(waiter->abandoned, [this, waiter] {
    const std::lock_guard<std::mutex> guard(mutex_);
    waiter->wake.notify_one();
  });
  lock->lock();
  absl::Status outcome = AwaitOutcome(gang, waiter, lock);
  lock->unlock();
  return outcome;
}

absl::Status Barriers::AwaitOutcome(const plan::UnitKey& gang, Waiter* waiter, Lock* lock) {
  bool late = false;
  while (waiter->state == Waiter::State::kWaiting && !waiter->abandoned.stop_requested() && !late) {
    late = waiter->wake.wait_until(*lock, waiter->deadline) == std::cv_status::timeout &&
           options_.now() >= waiter->deadline && !MayWaitOn(gang, waiter);
  }
  if (waiter->state == Waiter::State::kWaiting) {
    waiter->why = late ? "its gang did not become complete in time" : "the caller has gone";
    if (late) {
      Fail(gang, &gates_[gang], BarrierEnd::kTimeout, waiter->why, lock);
    } else {
      Leave(gang, waiter, lock);
      if (options_.changed) {
        lock->unlock();
        options_.changed();
        lock->lock();
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
void Barriers::Leave(const plan::UnitKey& gang, Waiter* waiter, Lock* lock) {
  const auto at = gates_.find(gang);
  const std::optional<Time> since = at == gates_.end() ? std::nullopt : at->second.since;
  Remove(gang, waiter);
  if (since && !at->second.since) Tell(gang, BarrierEnd::kGone, *since, lock);
}

void Barriers::TryOpen(const plan::UnitKey& gang, Lock* lock) {
  const auto at = gates_.find(gang);
  if (at == gates_.end() || at->second.waiters.empty()) return;
  WaitingGang& gate = at->second;
  if (!IsComplete(gang, gate)) return;
  if (options_.may_commit) {
    const absl::Status may = options_.may_commit();
    if (!may.ok()) {
      return Fail(gang, &gate, BarrierEnd::kNotInCharge, std::string(may.message()), lock);
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
    waiter->why = "the caller has gone";
    waiter->wake.notify_one();
    Remove(gang, waiter);
  }
  if (since && !gate.since) return Tell(gang, BarrierEnd::kGone, *since, lock);
  if (IsComplete(gang, gate)) Release(gang, &gate, lock);
}

void Barriers::Release(const plan::UnitKey& gang, WaitingGang* gate, Lock* lock) {
  const bool first = gate->committing.empty() && gate->bound.empty();
  for (const auto& [uid, waiter] : gate->waiters) {
    gate->committing[uid] = waiter->role;
    waiter->state = Waiter::State::kGo;
    waiter->wake.notify_one();
  }
  gate->waiters.clear();
  const Time since = gate->since.value_or(options_.now());
  gate->since.reset();
  if (first) Tell(gang, BarrierEnd::kOpened, since, lock);
}

void Barriers::Tell(const plan::UnitKey& gang, BarrierEnd end, Time since, Lock* lock) {
  if (!options_.ended) return;
  const auto held = std::chrono::duration_cast<std::chrono::milliseconds>(options_.now() - since);
  // It may be that of a gate, which may go meanwhile.
  const plan::UnitKey key = gang;  // NOLINT(performance-unnecessary-copy-initialization)
  lock->unlock();
  options_.ended(key, end, held);
  lock->lock();
}

void Barriers::Fail(const plan::UnitKey& gang, WaitingGang* gate, BarrierEnd end,
                    const std::string& why, Lock* lock) {
  for (const auto& [uid, waiter] : gate->waiters) {
    leaving_.Add(uid, options_.now());
    waiter->state = Waiter::State::kFailed;
    waiter->why = why;
    waiter->wake.notify_one();
  }
  gate->waiters.clear();
  const std::optional<Time> since = std::exchange(gate->since, std::nullopt);
  Tell(gang, end, since.value_or(options_.now()), lock);
}

void Barriers::Bound(const plan::UnitKey& gang, std::string_view uid, bool bound) {
  const std::lock_guard<std::mutex> lock(mutex_);
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

}  // namespace outrigger::gang
