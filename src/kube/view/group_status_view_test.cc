#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "cluster/change_listeners.h"
#include "gmock/gmock.h"
#include "kube/scripted_paths_testing.h"
#include "kube/view/cluster_actor.h"
#include "kube/view/cluster_watch.h"
#include "kube/watch/reflect_testing.h"

namespace outrigger::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr const char* kGroups = "/apis/scheduling.volcano.sh/v1beta1/podgroups";
constexpr const char* kClasses = "/apis/scheduling.k8s.io/v1/priorityclasses";
// Nodes, PodGroups of four dialects, PriorityClasses.
constexpr int kKinds = 6;

std::string Group(int64_t version, std::string_view phase, std::string_view queue = "night") {
  return fmt::format(
      R"({{"metadata":{{"name":"train","namespace":"d","uid":"u1","resourceVersion":"{}"}},)"
      R"("spec":{{"minMember":3,"queue":"{}"}},"status":{{"phase":"{}"}}}})",
      version, queue, phase);
}

std::string Class(int64_t version, int value, std::string_view annotation = "") {
  return fmt::format(R"({{"metadata":{{"name":"batch","uid":"c1","resourceVersion":"{}",)"
                     R"("annotations":{{"a":"{}"}}}},"value":{}}})",
                     version, annotation, value);
}

/// A time in which a wait lasts until the test lets it end.
class HeldTime {
 public:
  Timing timing() {
    Timing timing;
    timing.now = [this] {
      const std::lock_guard lock(mutex_);
      return now_;
    };
    timing.sleep = [this](Clock::Duration time, const std::stop_token& stop) {
      std::unique_lock lock(mutex_);
      const auto end = now_ + time;
      ++sleepers_;
      changed_.notify_all();
      changed_.wait(lock, stop, [&] { return now_ >= end; });
      --sleepers_;
      return !stop.stop_requested();
    };
    timing.random = [] { return 0.0; };
    return timing;
  }
  void AwaitSleepers(int count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(
        changed_.wait_for(lock, std::chrono::seconds(120), [&] { return sleepers_ >= count; }));
  }
  void Advance(std::chrono::milliseconds time) {
    const std::lock_guard lock(mutex_);
    now_ += time;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  Clock::TimePoint now_{std::chrono::hours(1000)};
  int sleepers_ = 0;
};

/// How often somebody was told; a test may wait for it.
class Counter {
 public:
  void Count() {
    const std::lock_guard lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  int Take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(count_, 0);
  }
  bool Await() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(120), [&] { return count_ > 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

/// A PodGroup of Volcano and a PriorityClass, an agent that plans and one that counts phases.
class StatusOfGroups : public ::testing::Test {
 protected:
  StatusOfGroups() : cluster_(cluster::ClusterOptions()), watch_(&api_, &cluster_, Options()) {
    api_.Answer("/api/v1/nodes", InitialEnd(5));
    for (const char* path : {"/apis/scheduling.sigs.k8s.io/v1alpha1/podgroups",
                             "/apis/scheduling.x-k8s.io/v1alpha1/podgroups",
                             "/apis/scheduling.k8s.io/v1beta1/podgroups"}) {
      api_.Answer(path, InitialEnd(5));
    }
    api_.Answer(kGroups, EventOf("ADDED", Group(4, "Pending")) + InitialEnd(5));
    api_.Answer(kClasses, EventOf("ADDED", Class(4, 1000)) + InitialEnd(5));
  }
  ~StatusOfGroups() override { watch_.Stop(); }

  ClusterWatchOptions Options() {
    ClusterWatchOptions options;
    options.max_staleness = std::chrono::hours(24);
    options.reflector.timing = time_.timing();
    options.changed = [this] { changes_.Notify(); };
    options.status_changed = [this] { changes_.NotifyOfStatus(); };
    return options;
  }
  void Start(const Needs& needs) {
    watch_.Start(needs);
    Settle();
    planner_.Take();
    counter_.Take();
  }
  void Settle() { ASSERT_TRUE(api_.AwaitIdle(kKinds)); }
  std::shared_ptr<const ClusterObjects> Take() { return watch_.Objects(); }
  /// The agent's needs, and those of one that plans.
  static Needs Both() {
    return Needs().ClusterGroups().Merge(Needs().ClusterGroupStatus().ClusterPriorityClasses());
  }

  HeldTime time_;
  ScriptedPaths api_;
  cluster::ChangeListeners changes_;
  cluster::Cluster cluster_;
  ClusterWatch watch_;
  CustomWatch custom_{&api_, {}};
  ClusterActor actor_{&api_, &cluster_, &watch_, &custom_, &changes_};
  Counter planner_;
  Counter counter_;
  const Subscription plans_ = actor_.OnChange([this] { planner_.Count(); });
  const Subscription counts_ = actor_.OnChange([this] { counter_.Count(); }, ChangeScope::kAll);
};

TEST_F(StatusOfGroups, WakesOnlyWhoAsksForIt) {
  Start(Both());
  const auto before = Take();
  EXPECT_EQ(before->pod_groups[0].queue, "night");
  EXPECT_EQ(before->pod_groups[0].phase, "Pending");
  EXPECT_EQ(before->pod_groups[0].resource_version, "4");
  api_.Answer(kGroups, EventOf("MODIFIED", Group(6, "Running")));
  Settle();
  const auto after = Take();
  EXPECT_EQ(after->pod_groups[0].phase, "Running");
  EXPECT_EQ(after->pod_groups[0].resource_version, "6");
  EXPECT_EQ(after->version, before->version) << "a plan has nothing to look at";
  EXPECT_GT(after->status_version, before->status_version);
  EXPECT_EQ(planner_.Take(), 0);
  EXPECT_EQ(counter_.Take(), 1);
  EXPECT_EQ(Take(), after) << "nothing has changed since";
}

TEST_F(StatusOfGroups, ThatComesWithAnotherChangeWakesAll) {
  Start(Both());
  const auto before = Take();
  api_.Answer(kGroups, EventOf("MODIFIED", Group(6, "Running", "day")));
  Settle();
  EXPECT_GT(Take()->version, before->version);
  EXPECT_GT(Take()->status_version, before->status_version);
  EXPECT_EQ(planner_.Take(), 1);
  EXPECT_EQ(counter_.Take(), 1);
}

TEST_F(StatusOfGroups, IsNotReadWhereNobodyAsks) {
  Start(Needs().ClusterGroups());
  const auto before = Take();
  EXPECT_EQ(before->pod_groups[0].phase, "");
  EXPECT_EQ(before->pod_groups[0].resource_version, "");
  EXPECT_THAT(before->classes, IsEmpty());
  api_.Answer(kGroups, EventOf("MODIFIED", Group(6, "Running")));
  api_.Answer(kClasses, EventOf("MODIFIED", Class(7, 1000, "changed")));
  Settle();
  EXPECT_EQ(Take(), before);
  EXPECT_EQ(planner_.Take(), 0);
  EXPECT_EQ(counter_.Take(), 0);
}

TEST_F(StatusOfGroups, GoesWithPriorityClassesInWhole) {
  Start(Both());
  const auto before = Take();
  ASSERT_EQ(before->classes.size(), 1U);
  EXPECT_EQ(before->classes[0].uid, "c1");
  EXPECT_EQ(before->classes[0].manifest, "");
  api_.Answer(kClasses, EventOf("MODIFIED", Class(6, 1000, "changed")));
  Settle();
  EXPECT_EQ(Take()->classes[0].annotations.Get("a"), "changed");
  EXPECT_EQ(Take()->version, before->version) << "no value has changed";
  EXPECT_GT(Take()->status_version, before->status_version);
  EXPECT_EQ(planner_.Take(), 0);
  EXPECT_EQ(counter_.Take(), 1);
  api_.Answer(kClasses, EventOf("MODIFIED", Class(8, 900)));
  Settle();
  EXPECT_GT(Take()->version, before->version);
  EXPECT_EQ(planner_.Take(), 1);
  EXPECT_EQ(counter_.Take(), 1);
}

TEST_F(StatusOfGroups, ValuesOfClassesThatAreCreatedAgainNeverGo) {
  Start(Both());
  const auto before = Take();
  api_.Answer(kClasses, EventOf("DELETED", Class(6, 1000)));
  Settle();
  EXPECT_THAT(Take()->priority_classes, ElementsAre(Pair("batch", 1000)));
  EXPECT_THAT(Take()->classes, IsEmpty()) << "it is gone, for who asks for classes";
  time_.AwaitSleepers(1);
  time_.Advance(std::chrono::milliseconds(999));
  api_.Answer(kClasses, EventOf("ADDED", Class(7, 1000)));
  Settle();
  time_.Advance(std::chrono::milliseconds(5000));
  EXPECT_THAT(Take()->priority_classes, ElementsAre(Pair("batch", 1000)));
  EXPECT_EQ(Take()->version, before->version);
  EXPECT_EQ(planner_.Take(), 0) << "gangs keep their places";
  EXPECT_EQ(counter_.Take(), 2);
}

TEST_F(StatusOfGroups, ValuesOfClassesThatStayAwayGoAfterASecond) {
  Start(Needs().ClusterGroups());
  const auto before = Take();
  api_.Answer(kClasses, EventOf("DELETED", Class(6, 1000)));
  Settle();
  time_.AwaitSleepers(1);
  EXPECT_EQ(Take(), before);
  EXPECT_EQ(planner_.Take(), 0);
  time_.Advance(std::chrono::milliseconds(1000));
  ASSERT_TRUE(planner_.Await()) << "it is told when the time is over";
  EXPECT_THAT(Take()->priority_classes, IsEmpty());
  EXPECT_GT(Take()->version, before->version);
}

TEST_F(StatusOfGroups, IsNotNeededForPriorityClasses) {
  watch_.Start(Needs().ClusterPriorityClasses());
  EXPECT_EQ(watch_.States().size(), 2U) << "nodes and classes";
}

}  // namespace
}  // namespace outrigger::kube
