#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <stop_token>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "calls/barrier.h"
#include "common/desk_names.h"
#include "gang/desk/leadership.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/stages.h"
#include "outrigger/base/mutex.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::gang {

/// Bounds how many bindings are written at once. Whoever comes first is served first: members of
/// gangs come together, so a gang is whole before the next one begins, and no connections are made
/// for calls that the API server could only queue. Thread-safe.
class BindSlots {
 public:
  explicit BindSlots(size_t count) : free_(count) {}

  /// Given back when it is destroyed, which is before the slots are.
  class Slot {
   public:
    explicit Slot(BindSlots* of) : of_(of) {}
    ~Slot() { of_->GiveBack(); }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;

   private:
    BindSlots* const of_;
  };
  /// Waits for its turn; null once `stop` is requested.
  std::unique_ptr<Slot> Take(const std::stop_token& stop);
  /// So many wait for their turn.
  size_t waiting() const;

 private:
  struct Waiter {
    std::condition_variable_any wake;
    bool has_turn = false;
  };
  void GiveBack();

  mutable Mutex mutex_;
  size_t free_ ABSL_GUARDED_BY(mutex_);
  std::list<Waiter> waiting_ ABSL_GUARDED_BY(mutex_);
};

/// Creates bindings. Thread-safe.
class Committer {
 public:
  /// `cluster` outlives this. A binding is tried for `patience`, but only while `may_write` says
  /// yes: else the replica that acts now plans what is left.
  Committer(ClusterAccess* cluster, std::chrono::milliseconds patience,
            desk::MayWrite may_write = nullptr)
      : cluster_(cluster), patience_(patience), may_write_(std::move(may_write)) {}

  /// Binds the pod, which counts as being on its node from now on: what may pass is tried again,
  /// `pause` after `pause`, until it is bound, or not to be bound, or patience, EndTerm() or Stop()
  /// ends it, or its caller has gone. 32 are written at once, in the order of the calls.
  absl::Status Commit(const BindRequest& request, std::chrono::milliseconds pause = kPause);
  /// The same of a member of a gang that is being bound, and that starts with the minimum
  /// `started_with` (plan::kStartedWith), also when its caller has gone: after the first binding of
  /// a gang there is no way back.
  absl::Status CommitMember(const BindRequest& request, int64_t started_with,
                            std::chrono::milliseconds pause = kPause);
  /// Ends all that is being tried: this process is not in charge.
  void EndTerm() { End(/*for_good=*/false); }
  /// The same, and nothing is tried from now on.
  void Stop() { End(/*for_good=*/true); }

  /// A pod that no plan has seen, from the API server, if it is in no group.
  absl::StatusOr<Pod> ReadSingle(const Board& board, const BindRequest& request);

 private:
  absl::Status Try(const BindRequest& request, const StringMap& annotations,
                   const std::stop_token& caller, std::chrono::milliseconds pause);
  std::stop_token Term();
  void End(bool for_good);

  static constexpr std::chrono::milliseconds kPause{200};
  static constexpr size_t kAtOnce = 32;
  ClusterAccess* const cluster_;
  const std::chrono::milliseconds patience_;
  const desk::MayWrite may_write_;
  BindSlots slots_{kAtOnce};
  Mutex mutex_;
  std::shared_ptr<std::stop_source> term_ ABSL_GUARDED_BY(mutex_) =
      std::make_shared<std::stop_source>();
};

/// Ok unless the pod, which is in no gang, would take a place of a gang that is being bound.
absl::Status CheckCommitting(const Board& board, const Barriers& barriers, const Pod& pod,
                             std::string_view node);

}  // namespace outrigger::gang
