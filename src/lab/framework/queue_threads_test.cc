// The queue under many hands at once; of most use with the thread sanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lab/framework/fifo_queue.h"
#include "lab/framework/scheduling_queue.h"
#include "lab/manual_timers_testing.h"
#include "lab/queue_testing.h"

namespace outrigger::lab {
namespace {

using std::chrono::seconds;

constexpr int kAttempts = 3;

/// Threads that schedule: each pod fails until its last attempt, by turns for a plugin and for an
/// error. No pod may be in two hands.
class Schedulers {
 public:
  Schedulers(PodQueue* queue, int threads) : queue_(queue) {
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this](const std::stop_token& stop) { Run(stop); });
    }
  }
  ~Schedulers() {
    for (std::jthread& thread : threads_) thread.request_stop();
  }

  /// How often each pod was placed.
  std::map<std::string, int> placed() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return placed_;
  }

 private:
  void Run(const std::stop_token& stop) {
    while (std::optional<QueuedPod> popped = queue_->Pop(stop)) {
      const std::string uid = popped->pod->uid;
      const bool last = popped->attempts >= kAttempts;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        EXPECT_TRUE(held_.insert(uid).second) << uid << " is in two hands";
      }
      std::this_thread::yield();
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        held_.erase(uid);
        if (last) ++placed_[uid];
      }
      if (last) {
        queue_->Done(uid);
      } else {
        if (popped->attempts % 2 == 1) popped->unschedulable_plugins = {"NodeNumber"};
        queue_->AddUnschedulable(*std::move(popped));
      }
    }
  }

  PodQueue* const queue_;
  mutable std::mutex mutex_;  // guards what follows
  std::set<std::string> held_;
  std::map<std::string, int> placed_;
  std::vector<std::jthread> threads_;  // last
};

TEST(QueueThreads, PlaceEveryPodOnceWhateverHappensMeanwhile) {
  constexpr int kPods = 200;
  ManualTimers timers;
  QueueOptions options;
  options.registered = {{"NodeNumber", {kNodeAdd}}};
  SchedulingQueue queue(&timers, HigherPriority, options);
  std::map<std::string, int> placed;
  {
    const Schedulers schedulers(&queue, 4);
    const std::jthread pods([&] {
      for (int i = 0; i < kPods; ++i) queue.Add(QueuePod(std::to_string(i)));
    });
    const std::jthread changes([&](const std::stop_token& stop) {
      for (int i = 0; !stop.stop_requested(); ++i) {
        // Of pods that are not there yet or any more, too: as when news come late.
        const std::string uid = std::to_string(i % kPods);
        if (queue.PartOf(uid) == SchedulingQueue::Part::kNone) continue;
        queue.Update(LabelledPod(uid, std::to_string(i)), LabelledPod(uid, std::to_string(i + 1)));
      }
    });
    while (placed.size() < kPods) {
      queue.OnEvent(kNodeAdd);
      timers.Advance(seconds(1));
      std::this_thread::yield();
      placed = schedulers.placed();
    }
    placed = schedulers.placed();
  }
  for (const auto& [uid, times] : placed) {
    EXPECT_EQ(times, 1) << uid;
    EXPECT_EQ(queue.PartOf(uid), SchedulingQueue::Part::kNone) << uid;
  }
}

TEST(QueueThreads, PlaceNoPodThatWasDeletedInItsFirstCycle) {
  constexpr int kPods = 100;
  ManualTimers timers;
  QueueOptions options;
  options.registered = {{"NodeNumber", {kNodeAdd}}};
  SchedulingQueue queue(&timers, HigherPriority, options);
  for (int i = 0; i < kPods; ++i) queue.Add(QueuePod(std::to_string(i)));
  {
    const Schedulers schedulers(&queue, 4);
    // Time stands still, so none can be in its second cycle.
    for (int i = 0; i < kPods; ++i) queue.Delete(*QueuePod(std::to_string(i)));
    for (int i = 0; i < 20; ++i) {
      queue.OnEvent(kNodeAdd);
      timers.Advance(seconds(1));
      std::this_thread::yield();
    }
    EXPECT_TRUE(schedulers.placed().empty());
  }
  for (int i = 0; i < kPods; ++i) {
    EXPECT_EQ(queue.PartOf(std::to_string(i)), SchedulingQueue::Part::kNone);
  }
}

template <typename Queue>
void ExpectEachPodWakesAThread(Queue* queue) {
  constexpr int kThreads = 4;
  std::vector<std::future<std::string>> popped;
  popped.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    popped.push_back(
        std::async(std::launch::async, [&] { return queue->Pop(std::stop_token())->pod->uid; }));
  }
  std::set<std::string> uids;
  for (int i = 0; i < kThreads; ++i) queue->Add(QueuePod(std::to_string(i)));
  for (std::future<std::string>& one : popped) uids.insert(one.get());
  EXPECT_EQ(uids.size(), kThreads);
}

TEST(QueueThreads, EachPodWakesAThreadThatWaits) {
  ManualTimers timers;
  SchedulingQueue queue(&timers, HigherPriority, {});
  ExpectEachPodWakesAThread(&queue);
  FifoQueue fifo(&timers, HigherPriority);
  ExpectEachPodWakesAThread(&fifo);
}

TEST(QueueThreads, AStopWakesAThreadThatWaits) {
  ManualTimers timers;
  SchedulingQueue queue(&timers, HigherPriority, {});
  std::stop_source stop;
  auto popped =
      std::async(std::launch::async, [&] { return queue.Pop(stop.get_token()).has_value(); });
  stop.request_stop();
  EXPECT_FALSE(popped.get());
}

}  // namespace
}  // namespace outrigger::lab
