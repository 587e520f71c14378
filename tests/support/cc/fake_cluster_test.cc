#include "fake_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "builders.h"

namespace outrigger::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

PodGroup Train(const std::string& phase) {
  PodGroup group;
  group.dialect = Dialect::kVolcano;
  group.namespace_ = "default";
  group.name = "train";
  group.uid = "u1";
  group.phase = phase;
  return group;
}

PriorityClass Batch(int32_t value) {
  PriorityClass made;
  made.name = "batch";
  made.value = value;
  return made;
}

/// What a cluster tells one who plans, and one who hears of everything.
class FakeClusterTells : public ::testing::Test {
 protected:
  std::pair<int, int> Told() { return {std::exchange(planner_, 0), std::exchange(counter_, 0)}; }
  std::shared_ptr<const ClusterObjects> Objects() { return cluster_.Take()->objects; }

  FakeCluster cluster_;
  int planner_ = 0;
  int counter_ = 0;
  const Subscription plans_ = cluster_.OnChange([this] { ++planner_; });
  const Subscription counts_ = cluster_.OnChange([this] { ++counter_; }, ChangeScope::kAll);
};

TEST_F(FakeClusterTells, OfPhasesOnlyWhoAsks) {
  cluster_.Put(Train("Pending"));
  EXPECT_EQ(Told(), std::pair(1, 1));
  const auto before = Objects();
  cluster_.Put(Train("Running"));
  EXPECT_EQ(Told(), std::pair(0, 1));
  EXPECT_EQ(Objects()->version, before->version);
  EXPECT_GT(Objects()->status_version, before->status_version);
  EXPECT_NE(Objects()->pod_groups[0].resource_version, before->pod_groups[0].resource_version);
  cluster_.RemoveGroup(Dialect::kVolcano, "train");
  EXPECT_EQ(Told(), std::pair(1, 1));
  EXPECT_THAT(Objects()->pod_groups, IsEmpty());
}

TEST_F(FakeClusterTells, OfStatesOnlyWhoAsks) {
  int watcher = 0;
  const Subscription watches =
      cluster_.OnChange([&watcher] { ++watcher; }, ChangeScope::kAllAndStates);
  cluster_.Put(MakeNode("a"));
  Pod pod = MakePod("p").On("a");
  cluster_.Put(pod);
  EXPECT_EQ(Told(), std::pair(2, 2));
  EXPECT_EQ(std::exchange(watcher, 0), 2);
  pod.container_states = {{.name = "main", .waiting_reason = "CrashLoopBackOff"}};
  cluster_.Put(pod);
  cluster_.Put(MakeNode("a").Ready(ConditionStatus::kFalse));
  EXPECT_EQ(Told(), std::pair(0, 0));
  EXPECT_EQ(watcher, 2);
}

TEST_F(FakeClusterTells, OfClassesAndTheirValues) {
  cluster_.keep().Put(Batch(700));
  EXPECT_EQ(Told(), std::pair(1, 1));
  EXPECT_THAT(Objects()->priority_classes, ElementsAre(Pair("batch", 700)));
  EXPECT_EQ(Objects()->classes.size(), 1U);
  EXPECT_EQ(cluster_.keep().Edit("batch", [](PriorityClass* edited) { edited->description = "d"; }),
            absl::OkStatus());
  EXPECT_EQ(Told(), std::pair(0, 1)) << "no value has changed";
  EXPECT_EQ(Objects()->classes[0].description, "d");
  ConfigMap map;
  map.namespace_ = "default";
  map.name = "m";
  EXPECT_TRUE(cluster_.WriteConfigMap(map, {}).ok());
  EXPECT_EQ(Told(), std::pair(0, 0)) << "maps are no part of the view";
}

TEST_F(FakeClusterTells, OfAnnotationsOfThatGroupOnly) {
  cluster_.Put(Train("Running"));
  Told();
  EXPECT_EQ(cluster_.AnnotateGroup(Train(""), "outrigger.dev/x", "1", {}), absl::OkStatus());
  EXPECT_EQ(Told(), std::pair(1, 1));
  EXPECT_EQ(Objects()->pod_groups[0].annotations.Get("outrigger.dev/x"), "1");
  EXPECT_EQ(Objects()->pod_groups[0].phase, "Running");
  EXPECT_EQ(cluster_.AnnotateGroup(Train(""), "outrigger.dev/x", "1", {}), absl::OkStatus());
  EXPECT_EQ(Told(), std::pair(0, 0)) << "it is so already";
  EXPECT_EQ(cluster_.AnnotateGroup(Train(""), "outrigger.dev/x", "", {}), absl::OkStatus());
  EXPECT_THAT(Objects()->pod_groups[0].annotations, IsEmpty());
  PodGroup other = Train("");
  other.uid = "u2";
  EXPECT_EQ(cluster_.AnnotateGroup(other, "a", "1", {}).code(), absl::StatusCode::kAborted);
  other.name = "nothing";
  EXPECT_EQ(cluster_.AnnotateGroup(other, "a", "1", {}).code(), absl::StatusCode::kNotFound);
  other.uid.clear();
  EXPECT_EQ(cluster_.AnnotateGroup(other, "a", "1", {}).code(), absl::StatusCode::kInvalidArgument);
  cluster_.OnAnnotate([](const PodGroup& /*group*/, const CallLimits& /*limits*/) {
    return absl::UnavailableError("cut off");
  });
  EXPECT_EQ(cluster_.AnnotateGroup(Train(""), "a", "1", {}).code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace outrigger::testing
