#include "lab/framework/in_flight_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "lab/queue_testing.h"

namespace outrigger::lab {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<InFlightPods::Happening> Meanwhile(InFlightPods* pods, const std::string& uid) {
  const auto landed = pods->End(uid);
  EXPECT_TRUE(landed.has_value());
  return landed->meanwhile;
}

TEST(InFlightPods, RemembersWhatHappenedSinceTakeOff) {
  InFlightPods pods;
  pods.Remember(kNodeAdd);
  pods.Begin(QueuePod("a"));
  pods.Remember(kNodeAdd);
  pods.Begin(QueuePod("b"));
  pods.Remember(kNodeDelete);
  pods.Remember(std::nullopt);
  EXPECT_THAT(Meanwhile(&pods, "b"), ElementsAre(kNodeDelete, std::nullopt));
  EXPECT_THAT(Meanwhile(&pods, "a"), ElementsAre(kNodeAdd, kNodeDelete, std::nullopt));
}

TEST(InFlightPods, KeepsAPodsOwnChangesForIt) {
  InFlightPods pods;
  pods.Begin(QueuePod("a"));
  pods.Begin(QueuePod("b"));
  const auto changed = QueuePod("b");
  EXPECT_TRUE(pods.Update(changed, {kPodLabel}));
  EXPECT_FALSE(pods.Update(QueuePod("c"), {kPodLabel}));
  EXPECT_THAT(Meanwhile(&pods, "a"), IsEmpty());
  const auto landed = pods.End("b");
  EXPECT_EQ(landed->pod, changed) << "as it was last seen";
  EXPECT_THAT(landed->meanwhile, ElementsAre(kPodLabel));
}

TEST(InFlightPods, KnowsThatAPodIsGone) {
  InFlightPods pods;
  pods.Begin(QueuePod("a"));
  pods.Delete("a");
  EXPECT_TRUE(pods.Contains("a"));
  EXPECT_EQ(pods.End("a")->pod, nullptr);
  EXPECT_FALSE(pods.End("a").has_value());
}

TEST(InFlightPods, ForgetsWhatNoPodWillAskFor) {
  InFlightPods pods;
  pods.Remember(kNodeAdd);
  EXPECT_EQ(pods.remembered(), 0) << "no pod is in flight";
  pods.Begin(QueuePod("a"));
  pods.Remember(kNodeAdd);
  pods.Begin(QueuePod("b"));
  pods.Remember(kNodeDelete);
  pods.Begin(QueuePod("c"));
  EXPECT_EQ(pods.remembered(), 2);
  pods.End("b");
  EXPECT_EQ(pods.remembered(), 2) << "a took off before both";
  pods.EndPlaced("a");
  EXPECT_EQ(pods.remembered(), 0) << "c took off after both";
}

TEST(InFlightPods, PassesOverOldNewsOfAPodThatWasPlaced) {
  InFlightPods pods;
  pods.Begin(QueuePod("a"));
  pods.EndPlaced("a");
  EXPECT_FALSE(pods.Contains("a"));
  EXPECT_TRUE(pods.Update(QueuePod("a"), {kPodLabel}))
      << "the news of its binding is still to come";
  pods.Delete("a");
  EXPECT_FALSE(pods.Update(QueuePod("a"), {kPodLabel}));
}

TEST(InFlightPods, KeepsNothingOfAPodWhoseBindingIsKnownAlready) {
  InFlightPods pods;
  pods.Begin(QueuePod("a"));
  pods.Delete("a");
  pods.EndPlaced("a");
  EXPECT_FALSE(pods.Update(QueuePod("a"), {kPodLabel}));
}

}  // namespace
}  // namespace outrigger::lab
