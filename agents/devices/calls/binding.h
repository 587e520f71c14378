#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "calls/judge.h"
#include "calls/store_chooser.h"
#include "devices/writer/writer.h"
#include "outrigger/agent/agent.h"
#include "outrigger/agent/call_budget.h"
#include "outrigger/agent/call_limits.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/metrics.h"
#include "outrigger/agent/stages.h"
#include "outrigger/base/mutex.h"
#include "store/device_store.h"

namespace outrigger::devices::agent {

/// Pods that are being served: one call at a time for each. Thread-safe.
class Turns {
 public:
  /// The right to serve a pod. Whatever ends the call, its end gives the right back.
  class Turn {
   public:
    Turn(Turns* of, std::string uid) : of_(of), uid_(std::move(uid)) {}
    Turn(Turn&& other) noexcept
        : of_(std::exchange(other.of_, nullptr)), uid_(std::move(other.uid_)) {}
    Turn& operator=(Turn&&) = delete;
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      if (of_ != nullptr) of_->End(uid_);
    }

   private:
    Turns* of_;
    std::string uid_;
  };

  /// Nothing: another call has it. Its end comes before that of this object.
  std::optional<Turn> Take(std::string_view uid) ABSL_LOCKS_EXCLUDED(mutex_) {
    const MutexLock lock(mutex_);
    if (!taken_.emplace(uid).second) return std::nullopt;
    return std::optional<Turn>(std::in_place, this, std::string(uid));
  }

 private:
  void End(const std::string& uid) ABSL_LOCKS_EXCLUDED(mutex_) {
    const MutexLock lock(mutex_);
    taken_.erase(uid);
  }

  Mutex mutex_;
  std::set<std::string, std::less<>> taken_ ABSL_GUARDED_BY(mutex_);  // UIDs of pods
};

/// Allocates the devices of a pod in its bind call, and gives them back if that fails. Thread-safe.
class Binding {
 public:
  struct Terms {
    ClusterAccess* cluster = nullptr;
    AgentMetrics* metrics = nullptr;
    WriterOptions writer = {};
    std::function<void(std::string_view line)> warn = LogToStderr;
  };
  /// All outlive this.
  Binding(Terms terms, DeviceStore* store, const Judge& judge, const Allocator& allocator);

  // As PreBinder.
  absl::Status PreBind(const BindRequest& request);
  void UndoPreBind(const BindRequest& request, const BindFailure& failure);
  void PostBind(const BindRequest& request);

  /// Allocates for a pod that is bound there already, and confirms.
  absl::Status Serve(const PodOnNode& pod, const CallLimits& limits);

  Chooser& chooser() { return chooser_; }
  const WriterOptions& writer_options() const { return terms_.writer; }

 private:
  using Key = std::pair<std::string, std::thread::id>;  // the UID of the pod, and its bind call
  /// What a bind call has written, until it ends.
  struct Held {
    Written written;
    Turns::Turn turn;
  };

  absl::StatusOr<Wanted> WantedOf(PodOnNode* pod, const CallLimits& limits);
  absl::StatusOr<std::vector<ClaimObject>> ClaimsOf(const PodOnNode& pod, const Wanted& wanted,
                                                    const CallBudget& budget);
  absl::StatusOr<Written> Allocate(PodOnNode pod, const CallLimits& limits);
  absl::Status Count(absl::Status result);
  /// What the bind call of this thread has written.
  std::optional<Held> TakeHeld(std::string_view uid) ABSL_LOCKS_EXCLUDED(mutex_);
  /// The node of the pod as it is now, for EndOf().
  absl::StatusOr<std::string> NodeOf(const PodOnNode& pod);
  absl::Status Confirm(const Written& written, const CallLimits& limits);

  const Terms terms_;
  DeviceStore& store_;
  const Judge& judge_;
  const Allocator& allocator_;
  StoreChooser chooser_;
  const std::unique_ptr<const AllocationWriter> writer_;  // null: there is no cluster
  Turns turns_;
  Mutex mutex_;
  std::map<Key, Held> held_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::devices::agent
