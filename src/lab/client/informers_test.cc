#include "lab/client/informers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "lab/client/scripted_cluster_testing.h"
#include "lab/framework/fifo_queue.h"
#include "lab/framework/node_cache.h"
#include "lab/framework/waiting_pods.h"
#include "lab/manual_timers_testing.h"

namespace outrigger::lab {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class InformersTest : public ::testing::Test {
 protected:
  std::unique_ptr<Informers> Started() {
    auto informers = std::make_unique<Informers>(&api_, &handlers_);
    informers->Start();
    return informers;
  }

  kube::ScriptedPaths api_;
  ManualTimers timers_;
  NodeCache nodes_;
  WaitingPods waiting_{&timers_};
  FifoQueue queue_{&timers_, [](const QueuedPod&, const QueuedPod&) { return false; }};
  EventHandlers handlers_{"default-scheduler", /*wakes=*/true, &nodes_, &queue_, &waiting_};
  std::stop_source stop_;
};

TEST_F(InformersTest, ReadWhatSchedulingLooksAt) {
  api_.Answer(kNodesPath,
              Listed({NodeJson("node1",
                               R"({"unschedulable":true,"taints":[{"key":"k","effect":)"
                               R"("NoSchedule"}]})",
                               R"(,"labels":{"zone":"a"},"annotations":{"note":"b"})")}));
  api_.Answer(kPodsPath,
              Listed({PodJson("pod1",
                              R"({"conditions":[{"type":"PodScheduled","status":"False",)"
                              R"("reason":"Unschedulable","message":"0/9 nodes"}]})",
                              R"(,"generation":3,"labels":{"groupPriority":"7"})")}));
  const auto informers = Started();
  ASSERT_TRUE(informers->AwaitSynced(stop_.get_token()));
  const auto nodes = nodes_.Snapshot();
  ASSERT_THAT(*nodes, SizeIs(1));
  const Node& node = *nodes->front();
  EXPECT_TRUE(node.unschedulable);
  EXPECT_EQ(node.taints.size() + node.labels.size() + node.annotations.size(), 3U);
  const std::optional<QueuedPod> queued = queue_.Pop(stop_.get_token());
  ASSERT_TRUE(queued.has_value());
  EXPECT_EQ(queued->pod->name, "pod1");
  EXPECT_EQ(queued->pod->labels.size(), 1U);
  EXPECT_EQ(queued->pod->generation, 3);
  EXPECT_EQ(queued->pod->unscheduled_message, "0/9 nodes");
}

TEST_F(InformersTest, HandOnWhatChangesLater) {
  api_.Answer(kNodesPath, Listed({NodeJson("node1"), NodeJson("node2")}));
  api_.Answer(kPodsPath, Listed({PodJson("pod1")}));
  const auto informers = Started();
  ASSERT_TRUE(informers->AwaitSynced(stop_.get_token()));
  api_.Answer(kNodesPath, kube::EventOf("DELETED", NodeJson("node1")));
  api_.Answer(kPodsPath,
              kube::EventOf("DELETED", PodJson("pod1")) + kube::EventOf("ADDED", PodJson("pod2")));
  ASSERT_TRUE(api_.AwaitIdle(2));
  EXPECT_FALSE(nodes_.Has("node1"));
  EXPECT_TRUE(nodes_.Has("node2"));
  EXPECT_EQ(queue_.Pop(stop_.get_token())->pod->name, "pod2") << "pod1 is gone";
}

TEST_F(InformersTest, AreNotSyncedByOneKindAlone) {
  api_.Answer(kNodesPath, Listed({NodeJson("node1")}));
  const auto informers = Started();
  ASSERT_TRUE(api_.AwaitIdle(2));
  stop_.request_stop();
  EXPECT_FALSE(informers->AwaitSynced(stop_.get_token()));
  EXPECT_TRUE(informers->States().front().synced);
  EXPECT_FALSE(informers->States().back().synced);
}

TEST_F(InformersTest, CallNobodyOnceTheyAreStopped) {
  api_.Answer(kNodesPath, Listed({}));
  api_.Answer(kPodsPath, Listed({}));
  const auto informers = Started();
  ASSERT_TRUE(informers->AwaitSynced(stop_.get_token()));
  informers->Stop();
  api_.Answer(kNodesPath, kube::EventOf("ADDED", NodeJson("node1")));
  EXPECT_THAT(*nodes_.Snapshot(), IsEmpty());
}

}  // namespace
}  // namespace outrigger::lab
