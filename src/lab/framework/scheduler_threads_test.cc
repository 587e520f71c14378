// All threads of a scheduler at once: watches of nodes and pods, the loop, workers and timers; of
// most use with the thread sanitizer.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "builders.h"
#include "lab/framework/event_handlers.h"
#include "lab/framework/scheduler.h"
#include "lab/framework/scheduling_queue.h"
#include "lab/plugins/default_binder.h"

namespace outrigger::lab {
namespace {

using ::outrigger::testing::MakeNode;
using ::outrigger::testing::MakePod;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kScheduler = "default-scheduler";

/// How a cycle may end: parts of what the scheduler writes about it.
constexpr std::array<std::string_view, 4> kOutcomes{"Successfully assigned", "timeout", "deleted",
                                                    "is gone"};

/// Pods as an API server has them. Thread-safe.
class PodStore final : public SchedulerApi {
 public:
  /// Creates the pod, or deletes it if it is there.
  void Toggle(const std::string& name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (pods_.erase(name) > 0) {
      news_.emplace_back(name, std::nullopt);
    } else {
      Pod pod = MakePod(name);
      pod.uid = "uid-" + std::to_string(++created_);
      pod.scheduler_name = kScheduler;
      Put(std::move(pod));
    }
    changed_.notify_all();
  }
  absl::Status Bind(const Pod& pod, std::string_view node) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = pods_.find(pod.name);
    if (at == pods_.end()) return absl::NotFoundError("gone");
    if (at->second.uid != pod.uid) return absl::AbortedError("another pod has its name");
    EXPECT_EQ(at->second.node_name, "") << pod.uid << " is bound again";
    Pod bound = at->second;
    bound.node_name = node;
    Put(std::move(bound));
    ++bindings_;
    changed_.notify_all();
    return absl::OkStatus();
  }
  absl::Status WriteUnscheduled(const Pod& /*pod*/, std::string_view /*reason*/,
                                std::string_view /*message*/) override {
    return absl::OkStatus();
  }
  void RecordEvent(const Pod& /*pod*/, bool /*warning*/, std::string_view /*reason*/,
                   std::string_view /*action*/, std::string_view note) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const std::string_view what : kOutcomes) {
      if (note.find(what) != std::string_view::npos) ++outcomes_[what];
    }
  }

  /// Hands on each change in its order, those that are there at the stop, too.
  void Watch(EventHandlers* handlers, const std::stop_token& stop) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return !news_.empty(); })) {
      const auto [name, pod] = std::move(news_.front());
      news_.pop_front();
      lock.unlock();
      pod.has_value() ? handlers->OnPod(*pod) : handlers->OnPodGone("default", name);
      lock.lock();
    }
  }

  /// Waits until a pod is bound, a moment at most; returns at once if none wants a node.
  void AwaitBinding() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, milliseconds(1), [this, before = bindings_] {
      return bindings_ != before || Waiting().empty();
    });
  }
  /// The UIDs of pods without a node.
  std::vector<std::string> unbound() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return Waiting();
  }
  /// How often a cycle ended in this way, one of kOutcomes.
  int Count(std::string_view outcome) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = outcomes_.find(outcome);
    return at == outcomes_.end() ? 0 : at->second;
  }
  int created() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return created_;
  }

 private:
  void Put(Pod pod) {
    pod.resource_version = std::to_string(++version_);
    news_.emplace_back(pod.name, pod);
    pods_.insert_or_assign(pod.name, pod);
  }
  std::vector<std::string> Waiting() const {
    std::vector<std::string> uids;
    for (const auto& [name, pod] : pods_) {
      if (pod.node_name.empty()) uids.push_back(pod.uid);
    }
    return uids;
  }

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::map<std::string, Pod> pods_;                              // by name
  std::deque<std::pair<std::string, std::optional<Pod>>> news_;  // nothing: it is gone
  std::map<std::string_view, int> outcomes_;
  int created_ = 0;
  int bindings_ = 0;
  int version_ = 0;
};

/// Lets most pods wait for some milliseconds; of these some in vain.
class ShortWait final : public PermitPlugin {
 public:
  ShortWait(Timers* timers, WaitingPods* waiting) : timers_(timers), waiting_(waiting) {}

  std::string_view Name() const override { return "ShortWait"; }
  Answer Permit(CycleState& /*state*/, const Pod& pod, const std::string& /*node*/) override {
    const int cycle = ++cycles_;
    if (cycle % 5 == 0) return {PluginStatus::Success()};
    if (cycle % 7 != 0) {
      timers_->After(milliseconds(cycle % 4),
                     [this, uid = pod.uid] { waiting_->Allow(uid, Name()); });
    }
    return {PluginStatus::Wait("wait"), milliseconds(6)};
  }
  std::vector<ClusterEvent> EventsToRegister() const override {
    return {{ClusterEvent::Resource::kNode, ClusterEvent::kAdd}};
  }

 private:
  Timers* const timers_;
  WaitingPods* const waiting_;
  int cycles_ = 0;  // of the one thread of scheduling cycles
};

class SchedulerThreads : public ::testing::Test {
 protected:
  SchedulerThreads() {
    for (const char* name : {"a", "b"}) handlers_.OnNode(MakeNode(name));
    loop_ = std::jthread([this](const std::stop_token& stop) { scheduler_.Run(stop); });
    pods_ = std::jthread([this](const std::stop_token& stop) { store_.Watch(&handlers_, stop); });
    nodes_ = std::jthread([this](const std::stop_token& stop) { ChangeNodes(stop); });
  }
  ~SchedulerThreads() override {
    for (std::jthread* thread : {&nodes_, &pods_, &loop_}) {
      thread->request_stop();
      thread->join();
    }
    workers_.Stop();
    reporters_.Stop();
    timers_.Stop();
  }

  SchedulingQueue::Part PartOf(const std::string& uid) const { return queue_->PartOf(uid); }
  /// True if no pod waits for anything: each has its node, or is gone.
  bool IsSettled() const {
    if (waiting_.size() > 0 || !store_.unbound().empty()) return false;
    for (int i = 1; i <= store_.created(); ++i) {
      if (PartOf("uid-" + std::to_string(i)) != SchedulingQueue::Part::kNone) return false;
    }
    return true;
  }
  std::string Unsettled() const {
    std::string text = std::to_string(waiting_.size()) + " wait at Permit; without a node:";
    for (const std::string& uid : store_.unbound()) {
      text += " " + uid + " (part " + std::to_string(static_cast<int>(PartOf(uid))) + ")";
    }
    return text;
  }

  PodStore store_;

 private:
  Profile MakeProfile() {
    Profile profile;
    profile.permit.push_back(std::make_shared<ShortWait>(&timers_, &waiting_));
    profile.bind.push_back(std::make_shared<DefaultBinder>(&store_));
    profile.binds_in_background = true;
    QueueOptions options;
    options.initial_backoff = milliseconds(1);
    options.max_backoff = milliseconds(4);
    options.registered = RegisteredEvents(profile);
    const PodLess first = [](const QueuedPod& a, const QueuedPod& b) {
      return a.arrival < b.arrival;
    };
    auto queue = std::make_unique<SchedulingQueue>(&timers_, first, std::move(options));
    queue_ = queue.get();
    profile.queue = std::move(queue);
    return profile;
  }
  /// A node comes and goes: its pods fail, and those that were rejected wake.
  void ChangeNodes(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      handlers_.OnNode(MakeNode("c"));
      store_.AwaitBinding();
      handlers_.OnNodeGone("c");
      store_.AwaitBinding();
    }
  }

  ThreadTimers timers_;
  Random random_{1};
  WaitingPods waiting_{&timers_};
  Workers workers_{4};
  Workers reporters_{2};
  NodeCache node_cache_;
  Handle handle_{&timers_, &random_, &waiting_, &workers_, &reporters_, &store_};
  SchedulingQueue* queue_ = nullptr;  // of the scheduler
  Scheduler scheduler_{MakeProfile(), &node_cache_, handle_};
  EventHandlers handlers_{std::string(kScheduler), /*wakes=*/true, &node_cache_,
                          &scheduler_.queue(), &waiting_};
  std::jthread loop_, pods_, nodes_;
};

TEST_F(SchedulerThreads, LoseNoPodWhateverHappensMeanwhile) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    // Names are few: pods are deleted in all parts of the queue, while they wait, and when they are
    // bound; and others get their names.
    store_.Toggle("pod" + std::to_string(random() % 50));
    if (round % 4 == 0) store_.AwaitBinding();
  }
  const auto deadline = std::chrono::steady_clock::now() + seconds(60);
  while (!IsSettled() && std::chrono::steady_clock::now() < deadline) store_.AwaitBinding();
  EXPECT_TRUE(IsSettled()) << Unsettled();
  for (const std::string_view outcome : kOutcomes) EXPECT_GT(store_.Count(outcome), 0) << outcome;
}

}  // namespace
}  // namespace outrigger::lab
