#pragma once

#include <chrono>
#include <condition_variable>
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
#include "calls/leaving_pods.h"
#include "common/desk_names.h"
#include "outrigger/base/clock.h"
#include "outrigger/plan/unit.h"

namespace outrigger::gang {

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
  using Lock = std::unique_lock<std::mutex>;

  BarrierOptions::Time DeadlineOf(const plan::UnitKey& gang, WaitingGang* gate) const;
  bool MayWaitOn(const plan::UnitKey& gang, Waiter* waiter);
  bool IsComplete(const plan::UnitKey& gang, const WaitingGang& gate) const;
  void TryOpen(const plan::UnitKey& gang, Lock* lock);
  void Release(const plan::UnitKey& gang, WaitingGang* gate, Lock* lock);
  void Fail(const plan::UnitKey& gang, WaitingGang* gate, BarrierEnd end, const std::string& why,
            Lock* lock);
  void Remove(const plan::UnitKey& gang, Waiter* waiter);
  void Leave(const plan::UnitKey& gang, Waiter* waiter, Lock* lock);
  absl::Status Await(const plan::UnitKey& gang, Waiter* waiter, Lock* lock);
  absl::Status AwaitOutcome(const plan::UnitKey& gang, Waiter* waiter, Lock* lock);
  void Tell(const plan::UnitKey& gang, BarrierEnd end, BarrierOptions::Time since, Lock* lock);

  const BarrierOptions options_;
  mutable std::mutex mutex_;
  std::map<plan::UnitKey, WaitingGang> gates_;
  std::shared_ptr<const Board> board_;
  LeavingPods leaving_;
  std::string closed_;  // why nobody may wait any more; empty: one may
};

}  // namespace outrigger::gang
