// Pods that were rejected hear of devices that became free.
#include <string>
#include <utility>
#include <vector>

#include "control/waker.h"
#include "devices_testing.h"
#include "gmock/gmock.h"

namespace outrigger::devices::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class DevicesWaker : public DevicesTest {
 protected:
  DevicesWaker() { store_.Follow(&cluster_); }
  ~DevicesWaker() override { store_.Stop(); }

  void Hold(const std::string& claim, const std::string& node, int64_t devices) {
    Json object = Object(kClaimKind, claim, {{"deviceClass", "foozer"}});
    object["status"] = {
        {"state", "Allocated"},
        {"nodeName", node},
        {"allocations", {{{"devicePoolName", node + "-0"}, {"deviceCount", devices}}}}};
    cluster_.custom().Put(kClaimKind, object);
  }
  void Round() { waker_.Round({}); }
  auto Woken() { return cluster_.nominations(); }

  Clock::TimePoint now_;
  std::unique_ptr<const Selectors> selectors_ = MakeCelSelectors();
  Allocator allocator_{*selectors_, {.always_resolve = true}};
  DeviceStore store_;
  Judge judge_{store_, allocator_};
  Waker waker_{{&cluster_, NoMetrics::Instance(), {.now = [this] { return now_; }}},
               &store_,
               judge_,
               allocator_};
};

TEST_F(DevicesWaker, APodIsWokenOnceAnotherClaimIsFreed) {
  PutNodes(2, 4);
  Hold("a", "n1", 4);
  Hold("b", "n2", 4);
  PutClaim("c", 2);
  waker_.OnRejected(PutPodOf("p", "c"), false);
  Round();
  EXPECT_THAT(Woken(), IsEmpty());
  PutPool("n1-9", "n1", 1);
  Round();
  EXPECT_THAT(Woken(), IsEmpty()) << "one is too few";
  cluster_.custom().Delete(kClaimKind, "default", "b");
  Round();
  EXPECT_THAT(Woken(), ElementsAre(Pair("p", "n2")));
  Round();
  EXPECT_THAT(Woken(), ElementsAre(Pair("p", "n2"))) << "once";
}

// The node fits by its devices, and the scheduler has its own reasons against it.
TEST_F(DevicesWaker, ARejectionAfterThatIsNoNews) {
  PutNodes(1, 4);
  PutClaim("c", 2);
  const Pod pod = PutPodOf("p", "c");
  waker_.OnRejected(pod, false);
  Round();
  EXPECT_THAT(Woken(), ElementsAre(Pair("p", "n1"))) << "it may have been freed meanwhile";
  for (int i = 0; i < 3; ++i) {
    waker_.OnRejected(pod, false);
    now_ += std::chrono::seconds(5);
    Round();
  }
  EXPECT_THAT(Woken(), ElementsAre(Pair("p", "n1")));
  PutPool("n1-1", "n1", 4);
  Round();
  EXPECT_THAT(Woken(), ElementsAre(Pair("p", "n1"), Pair("p", "n1")));
}

TEST_F(DevicesWaker, AClaimThatComesWakesWhoWaitsForIt) {
  PutNodes(1, 4);
  waker_.OnRejected(PutPodOf("p", "c"), true);
  Round();
  Round();
  EXPECT_THAT(Woken(), IsEmpty());
  PutClaim("c", 2);
  Round();
  EXPECT_THAT(Woken(), ElementsAre(Pair("p", "n1")));
}

TEST_F(DevicesWaker, AClaimThatAsksForLessWakes) {
  PutNodes(1, 4);
  PutClaim("c", 5);
  waker_.OnRejected(PutPodOf("p", "c"), false);
  Round();
  EXPECT_THAT(Woken(), IsEmpty());
  PutClaim("c", 4);
  Round();
  EXPECT_THAT(Woken(), ElementsAre(Pair("p", "n1")));
}

TEST_F(DevicesWaker, TheMostImportantPodsAreWokenFirstAndNotAll) {
  PutNodes(1, 1);
  PutClaim("c", 1);
  for (int i = 0; i < 20; ++i) {
    Pod pod = testing::MakePod(fmt::format("p{:02}", i))
                  .Annotation(kClaimsAnnotation, R"([{"name":"a","claimName":"c"}])");
    pod.priority = i;
    cluster_.Put(pod);
    waker_.OnRejected(cluster_.Get(pod.name), false);
  }
  Round();
  ASSERT_EQ(Woken().size(), 8u);
  EXPECT_THAT(Woken().front(), Pair("p19", "n1"));
  EXPECT_THAT(Woken().back(), Pair("p12", "n1"));
}

TEST_F(DevicesWaker, PodsThatAreGoneOrBoundAreForgotten) {
  PutNodes(1, 1);
  PutClaim("c", 2);
  waker_.OnRejected(PutPodOf("gone", "c"), false);
  waker_.OnRejected(PutPodOf("bound", "c"), false);
  waker_.OnRejected(PutPodOf("waits", "c"), false);
  Round();
  EXPECT_EQ(waker_.waiting(), 3u);
  cluster_.RemovePod("gone");
  cluster_.Change("bound", [](Pod* pod) { pod->node_name = "n1"; });
  Round();
  EXPECT_EQ(waker_.waiting(), 1u);
}

// The scheduler has heard of the pod, and the agent has not yet.
TEST_F(DevicesWaker, APodThatTheViewDoesNotShowYetIsWokenToo) {
  PutNodes(1, 4);
  Hold("a", "n1", 4);
  PutClaim("c", 2);
  const Pod pod = PutPodOf("p", "c");
  cluster_.RemovePod("p");
  waker_.OnRejected(pod, false);
  Round();
  cluster_.Put(pod);
  Round();
  cluster_.custom().Delete(kClaimKind, "default", "a");
  Round();
  EXPECT_THAT(Woken(), ElementsAre(Pair("p", "n1")));
  cluster_.RemovePod("p");
  Round();
  EXPECT_EQ(waker_.waiting(), 0u) << "it was shown, and is gone";
}

TEST_F(DevicesWaker, APodThatTheViewNeverShowsIsForgotten) {
  PutNodes(1, 4);
  PutClaim("c", 5);
  const Pod pod = PutPodOf("p", "c");
  cluster_.RemovePod("p");
  waker_.OnRejected(pod, false);
  now_ += std::chrono::seconds(29);
  Round();
  EXPECT_EQ(waker_.waiting(), 1u);
  now_ += std::chrono::seconds(1);
  Round();
  EXPECT_EQ(waker_.waiting(), 0u);
}

}  // namespace
}  // namespace outrigger::devices::agent
