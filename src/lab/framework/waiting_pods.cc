#include "lab/framework/waiting_pods.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "fmt/core.h"

namespace outrigger::lab {

struct WaitingPods::Shared {
  struct End {
    PluginStatus status;
    std::string plugin;
  };
  struct WaitingPod {
    uint64_t number = 0;    // of this waiting: a time-out of an earlier one of the pod is not meant
    bool is_added = false;  // false: expected
    std::set<std::string, std::less<>> allowed;  // by these plugins
    Timeouts pending;                            // of the others
    std::optional<End> end;                      // if it ended before it was added
    Outcome outcome;

    void SetPending(const Timeouts& timeouts) {
      for (const auto& timeout : timeouts) {
        if (!allowed.contains(timeout.first)) pending.insert(timeout);
      }
    }
  };
  // By UID.
  using Pods = std::map<std::string, WaitingPod, std::less<>>;

  explicit Shared(Timers* of) : timers(of) {}

  // Ends the waiting at `at`: takes it out, and returns what is to be called without the lock.
  Outcome Take(Pods::iterator at) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    return std::move(pods.extract(at).mapped().outcome);
  }
  void TimeOut(const std::string& uid, uint64_t number, const std::string& plugin,
               std::chrono::milliseconds timeout);

  Timers* const timers;
  mutable Mutex mutex;
  uint64_t last ABSL_GUARDED_BY(mutex) = 0;
  Pods pods ABSL_GUARDED_BY(mutex);
};

void WaitingPods::Shared::TimeOut(const std::string& uid, uint64_t number,
                                  const std::string& plugin, std::chrono::milliseconds timeout) {
  Outcome tell;
  {
    const MutexLock lock(mutex);
    const auto at = pods.find(uid);
    if (at == pods.end() || at->second.number != number) return;
    if (!at->second.pending.contains(plugin)) return;
    tell = Take(at);
  }
  tell(PluginStatus::Unschedulable(
           fmt::format("rejected due to timeout after waiting {}s at plugin {}",
                       timeout.count() / 1000, plugin)),
       plugin);
}

WaitingPods::WaitingPods(Timers* timers) : shared_(std::make_shared<Shared>(timers)) {}

WaitingPods::~WaitingPods() = default;

void WaitingPods::Expect(std::string_view uid) {
  const MutexLock lock(shared_->mutex);
  Shared::WaitingPod expected;
  expected.number = ++shared_->last;
  shared_->pods.insert_or_assign(std::string(uid), std::move(expected));
}

void WaitingPods::Forget(std::string_view uid) {
  const MutexLock lock(shared_->mutex);
  const auto at = shared_->pods.find(uid);
  if (at != shared_->pods.end() && !at->second.is_added) shared_->pods.erase(at);
}

void WaitingPods::Add(const Pod& pod, const Timeouts& timeouts, Outcome outcome) {
  // Once it is added the pod may go on, and be gone, at any time.
  const std::string uid = pod.uid;
  std::optional<Shared::End> end;
  Outcome ended;
  uint64_t number = 0;
  {
    const MutexLock lock(shared_->mutex);
    const auto at = shared_->pods.try_emplace(uid).first;
    Shared::WaitingPod& waiting = at->second;
    waiting.SetPending(timeouts);
    end = std::move(waiting.end);
    if (!end.has_value() && waiting.pending.empty()) end = {PluginStatus::Success(), ""};
    if (end.has_value()) {
      ended = std::move(outcome);
      shared_->pods.erase(at);
    } else {
      waiting.is_added = true;
      waiting.outcome = std::move(outcome);
      number = waiting.number = ++shared_->last;
    }
  }
  if (end.has_value()) return ended(end->status, end->plugin);
  for (const auto& [plugin, timeout] : timeouts) {
    shared_->timers->After(timeout, [weak = std::weak_ptr<Shared>(shared_), uid, number,
                                     plugin = plugin, timeout = timeout] {
      if (const auto shared = weak.lock()) shared->TimeOut(uid, number, plugin, timeout);
    });
  }
}

void WaitingPods::Allow(std::string_view uid, std::string_view plugin) {
  Outcome tell;
  {
    const MutexLock lock(shared_->mutex);
    const auto at = shared_->pods.find(uid);
    if (at == shared_->pods.end()) return;
    Shared::WaitingPod& waiting = at->second;
    waiting.allowed.emplace(plugin);
    waiting.pending.erase(std::string(plugin));
    if (!waiting.is_added || !waiting.pending.empty()) return;
    tell = shared_->Take(at);
  }
  tell(PluginStatus::Success(), std::string(plugin));
}

void WaitingPods::Reject(std::string_view uid, std::string_view plugin, std::string reason) {
  Shared::End end{PluginStatus::Unschedulable(std::move(reason)), std::string(plugin)};
  Outcome tell;
  {
    const MutexLock lock(shared_->mutex);
    const auto at = shared_->pods.find(uid);
    if (at == shared_->pods.end()) return;
    if (!at->second.is_added) {
      if (!at->second.end.has_value()) at->second.end = std::move(end);
      return;
    }
    tell = shared_->Take(at);
  }
  tell(end.status, end.plugin);
}

size_t WaitingPods::size() const {
  const MutexLock lock(shared_->mutex);
  size_t added = 0;
  for (const auto& pod : shared_->pods) added += pod.second.is_added ? 1 : 0;
  return added;
}

}  // namespace outrigger::lab
