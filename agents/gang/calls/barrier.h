#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "common/desk_names.h"
#include "gang/plan/unit.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::gang {

/// Pods whose bind call has failed a moment ago. kube-scheduler counts one on its node until it has
/// the answer and has undone the attempt, and names it as a victim until then, though its place
/// becomes free by itself. Not thread-safe.
class LeavingPods {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// The scheduler takes milliseconds, and a second or so where it has too much to do.
  static constexpr std::chrono::seconds kLongest{5};

  /// The bind call of the pod of that UID fails.
  void Add(std::string_view uid, Time now);
  /// A bind call comes for it again.
  void Remove(std::string_view uid);
  /// The UIDs of all that were added no longer ago than kLongest.
  std::set<std::string, std::less<>> At(Time now) const;

 private:
  std::map<std::string, Time, std::less<>> since_;
  Time cleared_;  // when old ones were forgotten
};

/// Why a barrier ended without opening: the label of a metric.
enum class BarrierEnd : uint8_t { kOpened, kTimeout, kNoRoom, kNotInCharge, kGone, kStopped };
std::string_view TextOf(BarrierEnd end);

/// A member's bind call that waits. Views live during the call.
struct Arrival {
  const plan::UnitKey& gang;
  std::string_view uid;
  std::string_view name;  // namespace/name, for messages
  std::string_view node;
  std::string_view role;
  std::stop_token abandoned;
};

struct BarrierOptions {
  using Time = std::chrono::steady_clock::time_point;
  SteadyNow now = std::chrono::steady_clock::now;
  /// The longest that one call may wait.
  std::chrono::milliseconds longest{628'000};
  /// The longest that a gang may wait from its first call on.
  Patience patience;
  /// Asked before waiters are let through: whether we may still act. Makes no call. May be null.
  std::function<absl::Status()> may_commit = nullptr;
  /// Told, without a lock, that a waiter has come or gone. May be null.
  std::function<void()> changed = nullptr;
  /// Told how a gang's barrier ended and how long it had stood. May be null.
  std::function<void(const plan::UnitKey& gang, BarrierEnd end, std::chrono::milliseconds held)>
      ended = nullptr;
};

/// Where members of gangs wait in their bind calls until enough of them are there: nobody is bound
/// before all can be. Thread-safe; each waiter has a condition of its own, so that one that leaves
/// wakes nobody else.
class Barriers {
 public:
  explicit Barriers(BarrierOptions options);
  ~Barriers();
  Barriers(const Barriers&) = delete;
  Barriers& operator=(const Barriers&) = delete;

  /// Blocks until the gang may be bound: Ok, and then the caller binds, whatever happens. Another
  /// status is why it may not: nothing of the gang is bound then, as far as this barrier is asked.
  /// A call for a pod that waits already takes the place of the former one, which fails.
  absl::Status Wait(const Arrival& arrival);

  /// A member that was let through is bound, or is not after all.
  void Bound(const plan::UnitKey& gang, std::string_view uid, bool bound);

  /// What a new plan says: gangs that are complete open; those that have lost their places fail.
  void OnPlan(const std::shared_ptr<const Board>& board);

  /// Fails one waiter, or all of a gang, or all.
  void FailWaiter(const plan::UnitKey& gang, std::string_view uid, const std::string& why);
  void FailGang(const plan::UnitKey& gang, BarrierEnd end, const std::string& why);
  void FailAll(BarrierEnd end, const std::string& why);

  /// Fails all who wait and all who come from now on.
  void Close(const std::string& why);

  /// Who waits, by gang.
  std::map<plan::UnitKey, std::vector<Waiting>> Waiters() const;
  /// True while members of the gang that were let through are not bound yet.
  bool IsCommitting(const plan::UnitKey& gang) const;
  /// How many calls wait, and of how many gangs.
  size_t waiting() const;
  size_t standing() const;
  /// Members that were let through, as far as the last plan does not show them bound, and their
  /// gangs.
  std::map<std::string, plan::UnitKey, std::less<>> LetThrough() const;
  /// Pods, by UID, whose call has failed a moment ago (LeavingPods) and that have not come again.
  std::set<std::string, std::less<>> Leaving() const;

 private:
  struct Waiter;
  struct WaitingGang;

  BarrierOptions::Time DeadlineOf(const plan::UnitKey& gang, WaitingGang* gate) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool MayWaitOn(const plan::UnitKey& gang, Waiter* waiter) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsComplete(const plan::UnitKey& gang, const WaitingGang& gate) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TryOpen(const plan::UnitKey& gang) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Release(const plan::UnitKey& gang, WaitingGang* gate) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Fail(const plan::UnitKey& gang, WaitingGang* gate, BarrierEnd end, const std::string& why)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Remove(const plan::UnitKey& gang, Waiter* waiter) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Leave(const plan::UnitKey& gang, Waiter* waiter) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Await(const plan::UnitKey& gang, Waiter* waiter);
  absl::Status AwaitOutcome(const plan::UnitKey& gang, Waiter* waiter)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Tell(const plan::UnitKey& gang, BarrierEnd end, BarrierOptions::Time since)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const BarrierOptions options_;
  mutable Mutex mutex_;
  std::map<plan::UnitKey, WaitingGang> gates_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const Board> board_ ABSL_GUARDED_BY(mutex_);
  LeavingPods leaving_ ABSL_GUARDED_BY(mutex_);
  std::string closed_ ABSL_GUARDED_BY(mutex_);  // why nobody may wait any more; empty: one may
};

}  // namespace outrigger::gang
