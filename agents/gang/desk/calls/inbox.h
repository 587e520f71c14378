#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gang/desk/calls/place_moves.h"
#include "gang/desk/participant.h"
#include "gang/plan/call_resources.h"
#include "gang/plan/unit.h"
#include "outrigger/base/mutex.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::desk {

/// The last filter or preempt call about a pod.
struct Ask {
  std::chrono::steady_clock::time_point at;
  bool rejected = false;  // everywhere
};

/// What calls of the scheduler tell the planning thread. Thread-safe.
class Inbox {
 public:
  PlaceMoves moves;

  struct Refusal {
    std::string pod;  // namespace/name
    std::string uid;
    std::string node;
    std::string why;
    bool silent = false;  // taken to be one: it did not ask about the pod
    /// All nodes that passed its filters in that attempt; nothing: not known.
    std::optional<std::vector<std::string>> passed = {};
    friend bool operator==(const Refusal&, const Refusal&) = default;
  };
  struct GaveUpEntry {
    plan::UnitKey key;
    std::chrono::milliseconds after;
  };
  struct Content {
    std::map<std::string, Ask> asks;   // by UID of the pod: its last filter call
    std::vector<Refusal> refusals;     // the scheduler did not offer the reserved node
    std::vector<GaveUpEntry> gave_up;  // gangs that were not complete at their barrier in time
    PlaceMoves::ByUid moves;           // since the board by which calls are answered
    /// The last call about any pod: until then the scheduler was at work.
    std::chrono::steady_clock::time_point last_call;
    /// A call came about a pod that does not ask for calls: the scheduler calls about each pod.
    bool asks_about_all = false;
  };

  /// The scheduler asks about the pod. Takes no lock: pods without a group cost no more than that.
  void Called(std::chrono::steady_clock::time_point at, const Pod& pod) {
    last_call_.store(at.time_since_epoch().count(), std::memory_order_relaxed);
    if (asks_about_all_.load(std::memory_order_relaxed)) return;
    if (!plan::CallsAskedBy(pod).in_cycle) asks_about_all_.store(true, std::memory_order_relaxed);
  }
  /// Another instance of the scheduler may have another configuration.
  void ForgetScheduler() {
    asks_about_all_.store(false, std::memory_order_relaxed);
    moves.Clear();
    Take();
  }

  /// True if the planning thread waits for such news.
  bool Asked(const std::string& uid, Ask ask) {
    const MutexLock lock(mutex_);
    moves.Answered(uid, !ask.rejected);
    content_.asks[uid] = std::move(ask);
    return awaits_asks_;
  }
  void AwaitAsks(bool awaits) {
    const MutexLock lock(mutex_);
    awaits_asks_ = awaits;
  }
  void Refused(Refusal refusal) {
    const MutexLock lock(mutex_);
    content_.refusals.push_back(std::move(refusal));
  }
  void GaveUp(const plan::UnitKey& gang, std::chrono::milliseconds after) {
    const MutexLock lock(mutex_);
    content_.gave_up.push_back({gang, after});
  }
  Content Take() {
    const MutexLock lock(mutex_);
    Content content = std::exchange(content_, {});
    content.moves = moves.Made();
    content.last_call = Clock::time_point(Clock::duration(last_call_.load()));
    content.asks_about_all = asks_about_all_.load(std::memory_order_relaxed);
    return content;
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::atomic<Clock::rep> last_call_{0};
  std::atomic<bool> asks_about_all_{false};
  mutable Mutex mutex_;
  Content content_ ABSL_GUARDED_BY(mutex_);
  bool awaits_asks_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace outrigger::desk
