#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <iterator>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "gang/desk/leadership.h"
#include "gang/desk/time.h"
#include "outrigger/agent/call_limits.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::desk {

/// A write to a pod is given up after so long. An overloaded server usually completes a timed-out
/// write, and we would send it again. So the timeout is long, but less than the 15 s
/// (leaseDuration) after which another scheduler is in charge. With a Lease of our own it is given
/// up when the term is over.
inline constexpr std::chrono::seconds kWriteTimeout{10};

/// Writes to pods on threads of its own, so that no plan waits for the API server. Each pod has one
/// write under way at most. Without Start() it writes on the caller's thread, for tests. A `Wish`
/// has a `PodPtr pod`. Thread-safe.
template <typename Wish>
class PodWriter {
 public:
  /// All of them are called without a lock, from the threads that write.
  struct Hooks {
    /// Asked before each write; an error drops all that is queued.
    MayWrite may_write = nullptr;
    /// The write itself: kWriteTimeout long, or shorter where the permit says so.
    std::function<absl::Status(const Wish& wish, const CallLimits& limits)> write = nullptr;
    /// What a write came to; may be empty.
    std::function<void(const Wish& wish, const absl::Status& status)> answered = nullptr;
    /// Take() has something; may be empty.
    std::function<void()> changed = nullptr;
  };
  struct Result {
    Wish wish;
    absl::Status status;
    Time began;
  };
  struct Content {
    std::vector<Result> results;
    absl::flat_hash_set<std::string> under_way;  // pods, by UID, of which one is being written
  };

  /// What `hooks` need outlives this. `threads`: of so many writes at once.
  PodWriter(size_t threads, Hooks hooks, SteadyNow now = std::chrono::steady_clock::now)
      : size_(threads), hooks_(std::move(hooks)), now_(std::move(now)) {}
  ~PodWriter() { Stop(); }
  PodWriter(const PodWriter&) = delete;
  PodWriter& operator=(const PodWriter&) = delete;

  void Start() {
    for (size_t i = 0; i < size_; ++i) {
      threads_.emplace_back([this](const std::stop_token& stop) { Run(stop); });
    }
  }
  /// Ends the writes that are under way, and returns.
  void Stop() {
    Drop();
    for (std::jthread& thread : threads_) thread.request_stop();
    threads_.clear();  // joins
  }

  /// All that is to be written now, the most urgent first, in the place of what is still queued.
  /// Left out are pods whose last write is under way, or its result not taken yet, and what goes
  /// past the longest queue: the caller asks again after it has taken results.
  void Offer(std::vector<Wish> due);
  /// Forgets what is queued. A write that is under way goes on.
  void Drop() {
    const MutexLock lock(mutex_);
    queue_.clear();
  }
  /// What came of writes since the last call, in the order in which they ended.
  Content Take() {
    const MutexLock lock(mutex_);
    return {std::exchange(results_, {}), under_way_};
  }

 private:
  // A few seconds of writes. What is not queued is asked for again with the next plan.
  static constexpr size_t kMostQueued = 1024;

  void Run(const std::stop_token& stop);
  std::optional<Wish> Next();
  void Write(const Wish& wish, const std::stop_token& stop);
  // Each pod once: a gang may have as many members as results wait to be taken.
  absl::flat_hash_set<std::string_view> Open() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    absl::flat_hash_set<std::string_view> open(under_way_.begin(), under_way_.end());
    for (const Result& result : results_) open.insert(result.wish.pod->uid);
    return open;
  }

  const size_t size_;
  const Hooks hooks_;
  const SteadyNow now_;

  Mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<Wish> queue_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_set<std::string> under_way_ ABSL_GUARDED_BY(mutex_);
  std::vector<Result> results_ ABSL_GUARDED_BY(mutex_);

  std::vector<std::jthread> threads_;  // of the caller of Start() and Stop()
};

template <typename Wish>
void PodWriter<Wish>::Offer(std::vector<Wish> due) {
  {
    const MutexLock lock(mutex_);
    const auto open = Open();
    std::erase_if(due, [&](const Wish& wish) { return open.contains(wish.pod->uid); });
    const auto end = due.begin() + static_cast<std::ptrdiff_t>(std::min(due.size(), kMostQueued));
    queue_.assign(std::make_move_iterator(due.begin()), std::make_move_iterator(end));
  }
  if (!threads_.empty()) return wake_.notify_all();
  while (const auto next = Next()) Write(*next, {});
}

template <typename Wish>
void PodWriter<Wish>::Run(const std::stop_token& stop) {
  while (true) {
    {
      MutexLock lock(mutex_);
      if (!wake_.wait(lock, stop,
                      [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !queue_.empty(); }))
        return;
    }
    if (stop.stop_requested()) return;
    if (const auto next = Next()) Write(*next, stop);
  }
}

// The first of the queue, which is under way from now on; nothing: it is empty.
template <typename Wish>
std::optional<Wish> PodWriter<Wish>::Next() {
  const MutexLock lock(mutex_);
  if (queue_.empty()) return std::nullopt;
  Wish next = std::move(queue_.front());
  queue_.pop_front();
  under_way_.insert(next.pod->uid);
  return next;
}

template <typename Wish>
void PodWriter<Wish>::Write(const Wish& wish, const std::stop_token& stop) {
  auto permit = AskToWrite(hooks_.may_write, {.timeout = kWriteTimeout, .stop = stop});
  if (!permit.ok()) {
    const MutexLock lock(mutex_);
    queue_.clear();
    under_way_.erase(wish.pod->uid);
    return;
  }
  const Time began = now_();
  absl::Status status = hooks_.write(wish, permit->limits);
  permit->under_way.reset();
  if (hooks_.answered) hooks_.answered(wish, status);
  {
    const MutexLock lock(mutex_);
    under_way_.erase(wish.pod->uid);
    results_.push_back({wish, std::move(status), began});
  }
  if (hooks_.changed) hooks_.changed();
}

}  // namespace outrigger::desk
