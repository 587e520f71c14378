#include "lab/nodes/pod_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lab/nodes/nodes_testing.h"

namespace outrigger::lab {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = kube::FakeObjects::Json;

std::string PathOfPod(std::string_view name) {
  return "/api/v1/namespaces/d/pods/" + std::string(name);
}

/// A pod of namespace d with one container that asks for `cpu`, bound to node-0000.
Pod BoundPod(std::string name, std::string_view cpu = "1") {
  Pod pod;
  pod.uid = "u-" + name;
  pod.name = std::move(name);
  pod.namespace_ = "d";
  pod.node_name = "node-0000";
  pod.phase = "Pending";
  pod.scheduled_time = 3500;
  pod.images = {"pause:1"};
  pod.containers = {{"main", {{"cpu", *Quantity::Parse(cpu)}}, {}}};
  return pod;
}

class PodKeeperTest : public ::testing::Test {
 protected:
  PodKeeperTest()
      : keeper_(&scene_.api, MustNodes("2,cpu=4,pods=10"), &scene_.queue, &scene_.scoped,
                {.clock = scene_.clock(),
                 .event =
                     [this](const Pod& pod, bool warning, std::string_view reason,
                            const std::string& note) {
                       events_.push_back(pod.name + (warning ? " W " : " N ") +
                                         std::string(reason) + ": " + note);
                     },
                 .warn = scene_.warn()}) {}

  /// The pod as the API server has it, and what its watch says of it.
  void Bind(const Pod& pod) {
    scene_.api.objects.Put(PathOfPod(pod.name), {{"metadata", {{"name", pod.name}}}});
    keeper_.UpsertPod(pod);
  }
  void Delete(Pod pod) {
    pod.being_deleted = true;
    keeper_.UpsertPod(pod);
  }
  Json StatusOf(std::string_view pod) { return scene_.api.At(PathOfPod(pod), "/status"); }
  std::string PhaseOf(std::string_view pod) {
    const Json phase = scene_.api.At(PathOfPod(pod), "/status/phase");
    return phase.is_string() ? phase.get<std::string>() : "";
  }
  Json ConditionOf(std::string_view pod, std::string_view type) {
    const Json status = StatusOf(pod);
    for (const Json& condition : status["conditions"]) {
      if (condition["type"] == type) return condition;
    }
    return nullptr;
  }

  NodeScene scene_;
  std::vector<std::string> events_;
  PodKeeper keeper_;
};

TEST_F(PodKeeperTest, RunsAPodForEver) {
  Bind(BoundPod("p"));
  scene_.timers.Advance(seconds(100'000));
  const Json status = StatusOf("p");
  EXPECT_EQ(status["phase"], "Running");
  EXPECT_EQ(status["startTime"], "1970-01-01T01:00:00Z");
  EXPECT_EQ(status["podIP"], "10.0.0.1");
  EXPECT_EQ(status["hostIP"], "172.16.0.1");
  EXPECT_EQ(ConditionOf("p", "Ready")["status"], "True");
  EXPECT_EQ(ConditionOf("p", "PodScheduled")["lastTransitionTime"], "1970-01-01T00:58:20Z");
  const Json container = status["containerStatuses"][0];
  EXPECT_EQ(container["name"], "main");
  EXPECT_EQ(container["image"], "pause:1");
  EXPECT_EQ(container["ready"], true);
  EXPECT_EQ(container["state"]["running"]["startedAt"], "1970-01-01T01:00:00Z");
  EXPECT_EQ(scene_.api.At(PathOfPod("p"), "/metadata/uid"), "u-p") << "never another pod's status";
  EXPECT_EQ(scene_.api.objects.calls().size(), 1U);
  EXPECT_EQ(keeper_.running(), 1U);
  EXPECT_THAT(events_, IsEmpty());
}

TEST_F(PodKeeperTest, StartsAndEndsAPodWhenItsAnnotationsSayIt) {
  Pod pod = BoundPod("p");
  pod.annotations.Set(kStartDelayAnnotation, "3s");
  pod.annotations.Set(kDurationAnnotation, "10s");
  Bind(pod);
  EXPECT_EQ(PhaseOf("p"), "Pending");
  EXPECT_EQ(StatusOf("p")["containerStatuses"][0]["state"]["waiting"]["reason"],
            "ContainerCreating");
  EXPECT_EQ(ConditionOf("p", "Ready")["status"], "False");
  scene_.timers.Advance(seconds(2));
  EXPECT_EQ(PhaseOf("p"), "Pending");
  scene_.timers.Advance(seconds(1));
  EXPECT_EQ(PhaseOf("p"), "Running");
  scene_.timers.Advance(seconds(9));
  EXPECT_EQ(PhaseOf("p"), "Running");
  scene_.timers.Advance(seconds(1));
  EXPECT_EQ(PhaseOf("p"), "Succeeded");
  EXPECT_EQ(ConditionOf("p", "Ready")["reason"], "PodCompleted");
  EXPECT_EQ(StatusOf("p")["containerStatuses"][0]["state"]["terminated"],
            Json({{"exitCode", 0},
                  {"reason", "Completed"},
                  {"startedAt", "1970-01-01T01:00:03Z"},
                  {"finishedAt", "1970-01-01T01:00:13Z"}}));
  EXPECT_EQ(keeper_.running(), 0U);
  EXPECT_EQ(keeper_.counts().started, 1U);
  EXPECT_EQ(keeper_.counts().ended, 1U);
}

TEST_F(PodKeeperTest, FailsWithTheExitCode) {
  Pod pod = BoundPod("p");
  pod.annotations.Set(kDurationAnnotation, "1s");
  pod.annotations.Set(kExitCodeAnnotation, "3");
  Bind(pod);
  scene_.timers.Advance(seconds(1));
  EXPECT_EQ(PhaseOf("p"), "Failed");
  const Json end = StatusOf("p")["containerStatuses"][0]["state"]["terminated"];
  EXPECT_EQ(end["exitCode"], 3);
  EXPECT_EQ(end["reason"], "Error");
}

TEST_F(PodKeeperTest, ReportsInitContainers) {
  Pod pod = BoundPod("p");
  pod.init_containers = {{"first", {}, {}}, {"sidecar", {}, {}, true}};
  Bind(pod);
  const Json init = StatusOf("p")["initContainerStatuses"];
  ASSERT_EQ(init.size(), 2U);
  EXPECT_EQ(init[0]["state"]["terminated"]["reason"], "Completed");
  EXPECT_TRUE(init[1]["state"].contains("running"));
}

TEST_F(PodKeeperTest, RejectsWhatHasNoRoomInTheWordsOfAKubelet) {
  Bind(BoundPod("a", "3"));
  Bind(BoundPod("b", "2"));
  EXPECT_EQ(PhaseOf("b"), "Failed");
  EXPECT_EQ(StatusOf("b")["reason"], "OutOfcpu");
  EXPECT_EQ(StatusOf("b")["message"],
            "Pod was rejected: Node didn't have enough resource: cpu, requested: 2000, used: 3000, "
            "capacity: 4000");
  EXPECT_THAT(events_, ElementsAre(HasSubstr("b W OutOfcpu: Node didn't have enough")));
  Pod other = BoundPod("c", "2");
  other.node_name = "node-0001";
  Bind(other);
  EXPECT_EQ(PhaseOf("c"), "Running");
  EXPECT_EQ(keeper_.counts().rejected, 1U);
}

TEST_F(PodKeeperTest, GivesRoomBack) {
  Pod ends = BoundPod("ends", "4");
  ends.annotations.Set(kDurationAnnotation, "5s");
  Bind(ends);
  scene_.timers.Advance(seconds(5));
  Bind(BoundPod("deleted", "4"));
  EXPECT_EQ(PhaseOf("deleted"), "Running");
  Delete(BoundPod("deleted", "4"));
  Bind(BoundPod("vanishes", "4"));
  EXPECT_EQ(PhaseOf("vanishes"), "Running");
  keeper_.RemovePod("d", "vanishes");
  Bind(BoundPod("failed", "4"));
  Pod failed = BoundPod("failed", "4");
  failed.phase = "Failed";
  keeper_.UpsertPod(failed);
  Bind(BoundPod("last", "4"));
  EXPECT_EQ(PhaseOf("last"), "Running");
}

TEST_F(PodKeeperTest, RemovesADeletedPodAtOnceAndOnce) {
  Bind(BoundPod("p"));
  Delete(BoundPod("p"));
  Delete(BoundPod("p"));
  EXPECT_THAT(scene_.api.objects.Paths(), IsEmpty());
  EXPECT_EQ(scene_.api.Count("DELETE " + PathOfPod("p")), 1U);
  EXPECT_EQ(keeper_.counts().removed, 1U);
  keeper_.RemovePod("d", "p");
  EXPECT_THAT(scene_.warnings, IsEmpty());
}

TEST_F(PodKeeperTest, RemovesADeletedPodWhenItHasStopped) {
  Pod pod = BoundPod("p", "4");
  pod.annotations.Set(kStopDelayAnnotation, "7s");
  Bind(pod);
  Delete(pod);
  scene_.timers.Advance(seconds(6));
  EXPECT_EQ(scene_.api.Count("DELETE " + PathOfPod("p")), 0U);
  Bind(BoundPod("early", "1"));
  EXPECT_EQ(PhaseOf("early"), "Failed") << "until then it has its room";
  scene_.timers.Advance(seconds(1));
  EXPECT_EQ(scene_.api.Count("DELETE " + PathOfPod("p")), 1U);
}

TEST_F(PodKeeperTest, TellsANewPodOfTheSameNameFromTheOldOne) {
  Pod old = BoundPod("p", "4");
  old.annotations.Set(kDurationAnnotation, "5s");
  Bind(old);
  Pod fresh = BoundPod("p", "4");
  fresh.uid = "another";
  Bind(fresh);
  EXPECT_EQ(PhaseOf("p"), "Running");
  scene_.timers.Advance(seconds(10));
  EXPECT_EQ(PhaseOf("p"), "Running");
  EXPECT_EQ(scene_.api.At(PathOfPod("p"), "/metadata/uid"), "another");
}

TEST_F(PodKeeperTest, GoesOnWithAPodThatRunsAlready) {
  Pod pod = BoundPod("p", "4");
  pod.phase = "Running";
  pod.start_time = 3590;
  pod.annotations.Set(kDurationAnnotation, "15s");
  Bind(pod);
  EXPECT_THAT(scene_.api.objects.calls(), IsEmpty());
  Bind(BoundPod("q"));
  EXPECT_EQ(PhaseOf("q"), "Failed");
  scene_.timers.Advance(seconds(4));
  EXPECT_EQ(PhaseOf("p"), "");
  scene_.timers.Advance(seconds(1));
  EXPECT_EQ(PhaseOf("p"), "Succeeded");
}

TEST_F(PodKeeperTest, LeavesFinishedAndOtherPodsAlone) {
  Pod done = BoundPod("done", "4");
  done.phase = "Succeeded";
  Bind(done);
  Pod waiting = BoundPod("waiting");
  waiting.node_name = "";
  Bind(waiting);
  Pod elsewhere = BoundPod("elsewhere");
  elsewhere.node_name = "real-node";
  Bind(elsewhere);
  Delete(elsewhere);
  EXPECT_THAT(scene_.api.objects.calls(), IsEmpty());
  Bind(BoundPod("p", "4"));
  EXPECT_EQ(PhaseOf("p"), "Running");
  Delete(done);
  EXPECT_EQ(scene_.api.Count("DELETE " + PathOfPod("done")), 1U);
}

TEST_F(PodKeeperTest, SaysWhichAnnotationItCannotReadAndRunsThePod) {
  Pod pod = BoundPod("p");
  pod.annotations.Set(kDurationAnnotation, "soon");
  Bind(pod);
  EXPECT_EQ(PhaseOf("p"), "Running");
  EXPECT_THAT(events_,
              ElementsAre("p W InvalidAnnotation: annotation lab.outrigger.dev/duration \"soon\" "
                          "is not accepted; expected a time such as 90s or 1h30m, or exp(5m) for "
                          "chance. The pod runs without it"));
}

TEST_F(PodKeeperTest, TriesAgainWhatCannotBeWritten) {
  bool fails = true;
  scene_.api.objects.before = [&](const kube::ApiRequest&) {
    return fails ? absl::UnavailableError("no route") : absl::OkStatus();
  };
  Pod pod = BoundPod("p");
  pod.annotations.Set(kDurationAnnotation, "2s");
  Bind(pod);
  scene_.timers.Advance(seconds(4));
  EXPECT_EQ(PhaseOf("p"), "");
  fails = false;
  scene_.timers.Advance(seconds(60));
  EXPECT_EQ(PhaseOf("p"), "Succeeded") << "the last stage alone";
  EXPECT_EQ(scene_.api.objects.calls().size(), 1U);
  EXPECT_THAT(scene_.warnings, ElementsAre("pod d/p cannot be written: no route"));
}

}  // namespace
}  // namespace outrigger::lab
