#include "lab/framework/waiting_pods.h"

#include <utility>

#include "fmt/core.h"

namespace outrigger::lab {
struct WaitingPods::Shared {
  struct WaitingPod {
    uint64_t number = 0;  // of this waiting: a time-out of an earlier one of the pod is not meant
    Timeouts pending;
    Outcome outcome;
  };

  explicit Shared(Timers* of) : timers(of) {}

  // Takes the pod out if `ends` says so; its outcome is then to be called, without the lock.
  template <typename Ends>
  Outcome TakeIf(std::string_view uid, const Ends& ends) {
    const MutexLock lock(mutex);
    const auto at = pods.find(uid);
    if (at == pods.end() || !ends(&at->second)) return nullptr;
    return std::move(pods.extract(at).mapped().outcome);
  }

  Timers* const timers;
  mutable Mutex mutex;
  uint64_t last ABSL_GUARDED_BY(mutex) = 0;
  std::map<std::string, WaitingPod, std::less<>> pods ABSL_GUARDED_BY(mutex);  // by UID
};

WaitingPods::WaitingPods(Timers* timers) : shared_(std::make_shared<Shared>(timers)) {}

WaitingPods::~WaitingPods() = default;

void WaitingPods::Add(const Pod& pod, const Timeouts& timeouts, Outcome outcome) {
  uint64_t number = 0;
  {
    const MutexLock lock(shared_->mutex);
    number = ++shared_->last;
    shared_->pods.insert_or_assign(pod.uid,
                                   Shared::WaitingPod{number, timeouts, std::move(outcome)});
  }
  for (const auto& [plugin, timeout] : timeouts) {
    shared_->timers->After(timeout, [weak = std::weak_ptr<Shared>(shared_), uid = pod.uid, number,
                                     plugin = plugin, timeout = timeout] {
      const std::shared_ptr<Shared> shared = weak.lock();
      if (shared == nullptr) return;
      const Outcome tell = shared->TakeIf(uid, [&](Shared::WaitingPod* waiting) {
        return waiting->number == number && waiting->pending.contains(plugin);
      });
      if (!tell) return;
      tell(PluginStatus::Unschedulable(
               fmt::format("rejected due to timeout after waiting {}s at plugin {}",
                           timeout.count() / 1000, plugin)),
           plugin);
    });
  }
}

void WaitingPods::Allow(std::string_view uid, std::string_view plugin) {
  const Outcome tell = shared_->TakeIf(uid, [&](Shared::WaitingPod* waiting) {
    const auto at = waiting->pending.find(plugin);
    if (at != waiting->pending.end()) waiting->pending.erase(at);
    return waiting->pending.empty();
  });
  if (tell) tell(PluginStatus::Success(), std::string(plugin));
}

void WaitingPods::Reject(std::string_view uid, std::string_view plugin, std::string reason) {
  const Outcome tell = shared_->TakeIf(uid, [](Shared::WaitingPod*) { return true; });
  if (tell) tell(PluginStatus::Unschedulable(std::move(reason)), std::string(plugin));
}

size_t WaitingPods::size() const {
  const MutexLock lock(shared_->mutex);
  return shared_->pods.size();
}

}  // namespace outrigger::lab
