#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "outrigger/base/mutex.h"
#include "outrigger/desk/participant.h"
#include "outrigger/k8s/pod.h"
#include "outrigger/plan/call_resources.h"
#include "outrigger/plan/unit.h"

namespace outrigger::desk {

/// The last filter or preempt call about a pod.
struct Ask {
  std::chrono::steady_clock::time_point at;
  bool rejected = false;      // everywhere
  bool not_offered = false;   // its place, for which it is not nominated
  std::string moved_to = {};  // an equal place in place of the planned one; or empty
};

/// What calls of the scheduler tell the planning thread. Thread-safe.
class Inbox {
 public:
  struct Refusal {
    std::string pod;  // namespace/name
    std::string uid;
    std::string node;
    std::string why;
    bool silent = false;  // taken to be one: it did not ask about the pod
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
    Take();
  }

  /// True if the planning thread waits for such news.
  bool Asked(const std::string& uid, Ask ask) {
    const MutexLock lock(mutex_);
    if (ask.moved_to.empty()) {
      moves_.erase(uid);
    } else {
      moves_[uid] = ask.moved_to;
    }
    content_.asks[uid] = std::move(ask);
    return awaits_asks_;
  }
  /// True if the pod was last let pass to this equal place, and no board shows it yet.
  bool IsMovedTo(const std::string& uid, std::string_view node) const {
    const MutexLock lock(mutex_);
    const auto found = moves_.find(uid);
    return found != moves_.end() && found->second == node;
  }
  /// True if a pod was let pass to the node as to an equal place, and no board shows it yet.
  bool IsMoveTarget(std::string_view node) const {
    const MutexLock lock(mutex_);
    return std::any_of(moves_.begin(), moves_.end(),
                       [&](const auto& move) { return move.second == node; });
  }
  /// The board that is published was made with these answers: it shows what came of them.
  void ForgetMoves(const std::map<std::string, Ask>& asks) {
    const MutexLock lock(mutex_);
    std::erase_if(moves_, [&](const auto& move) {
      const auto ask = asks.find(move.first);
      return ask != asks.end() && ask->second.moved_to == move.second;
    });
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
  std::map<std::string, std::string> moves_ ABSL_GUARDED_BY(mutex_);  // UID to node
  bool awaits_asks_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace outrigger::desk
