// Nobody is evicted in vain.
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "calls/preemption.h"
#include "devices_testing.h"
#include "gmock/gmock.h"

namespace outrigger::devices::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DevicesPreempt : public DevicesTest {
 protected:
  void PutHeld(const std::string& claim, const std::string& node, int64_t devices,
               const std::vector<std::string>& pods) {
    Json object = Object(kClaimKind, claim, {{"deviceClass", "foozer"}});
    Json references = Json::array();
    for (const std::string& pod : pods) references.push_back({{"name", pod}, {"uid", pod}});
    object["status"] = {
        {"state", "Allocated"},
        {"nodeName", node},
        {"pods", references},
        {"allocations", {{{"devicePoolName", node + "-0"}, {"deviceCount", devices}}}}};
    cluster_.custom().Put(kClaimKind, object);
  }
  std::vector<std::string> Left(const Pod& pod, const std::vector<NodeVictims>& candidates) {
    std::vector<NodeVictims> chosen;
    EXPECT_TRUE(dynamic_cast<const Preempter&>(agent_->agent())
                    .Preempt({.pod = pod, .candidates = candidates}, &chosen)
                    .ok());
    std::vector<std::string> nodes;
    for (const NodeVictims& node : chosen) nodes.push_back(node.node);
    return nodes;
  }
};

TEST_F(DevicesPreempt, NodesAreLeftWhereTheVictimsHoldEnough) {
  PutNodes(4, 4);
  PutHeld("a", "n1", 4, {"v1"});
  PutHeld("b", "n2", 4, {"v2", "stays"});
  PutHeld("c", "n3", 4, {"v3"});
  PutClaim("wanted", 3);
  Start();
  const Pod pod = PutPodOf("p", "wanted");
  const std::vector<NodeVictims> candidates = {
      {"n1", {"v1"}, 0}, {"n2", {"v2"}, 0}, {"n3", {}, 0}, {"n4", {}, 0}};
  EXPECT_THAT(Left(pod, candidates), ElementsAre("n1", "n4"));
  EXPECT_THAT(Left(testing::MakePod("q"), candidates), ElementsAre("n1", "n2", "n3", "n4"));
  EXPECT_THAT(Left(PutPodOf("r", "none"), candidates), IsEmpty());
  EXPECT_THAT(Fitting(pod), ElementsAre("n4")) << "what was put aside is back";
}

TEST_F(DevicesPreempt, AnAllocationOfThePodThatWasBegunIsNotInItsWay) {
  PutNodes(1, 4);
  PutHeld("a", "n1", 2, {"v1"});
  PutClaim("wanted", 3);
  Json pool = Get(kPoolKind, "n1-0");
  pool["status"]["allocations"] = {{{"claimUID", Get(kClaimKind, "wanted")["metadata"]["uid"]},
                                    {"claimNamespace", "default"},
                                    {"claimName", "wanted"},
                                    {"state", "Intent"},
                                    {"deadline", "2099-01-15T08:00:00Z"},
                                    {"deviceCount", 2}},
                                   {{"claimUID", "no-such-claim"},
                                    {"claimNamespace", "default"},
                                    {"claimName", "gone"},
                                    {"podUID", "stays"},
                                    {"state", "Confirmed"},
                                    {"deviceCount", 1}}};
  cluster_.custom().Put(kPoolKind, pool);
  cluster_.elections().Take("another");
  Start();
  const Pod pod = PutPodOf("p", "wanted");
  EXPECT_THAT(Left(pod, {{"n1", {"v1"}, 0}}), ElementsAre("n1"));
  EXPECT_THAT(Left(pod, {{"n1", {}, 0}}), IsEmpty());
  PutClaim("more", 4);
  EXPECT_THAT(Left(PutPodOf("q", "more"), {{"n1", {"v1"}, 0}}), IsEmpty())
      << "what claims hold that are gone stays";
}

// Lets another thread change the store while devices are sought.
class MeetingSelectors final : public Selectors {
 public:
  explicit MeetingSelectors(DeviceStore* store) : store_(*store) {}
  absl::StatusOr<std::unique_ptr<const Selector>> Compile(std::string_view text,
                                                          Environment in) const override {
    changed_ =
        std::async(std::launch::async, [this] { store_.Change([](Contents*) { return false; }); });
    met = changed_.wait_for(std::chrono::seconds(2)) == std::future_status::ready;
    return cel_->Compile(text, in);
  }
  mutable bool met = false;

 private:
  DeviceStore& store_;
  mutable std::future<void> changed_;
  const std::unique_ptr<const Selectors> cel_ = MakeCelSelectors();
};

TEST_F(DevicesPreempt, TheStoreIsNotLockedWhileDevicesAreSought) {
  PutNodes(2, 4);
  Put(kClassKind, "picky",
      {{"deviceType", "gpu"}, {"driver", "foozer.example.com"}, {"constraints", "1 + 1 == 2"}});
  PutHeld("a", "n1", 4, {"v1"});
  PutClaim("wanted", 3, "picky");
  DeviceStore store;
  const MeetingSelectors selectors(&store);
  const Allocator allocator(selectors, {.always_resolve = true});
  const Judge judge(store, allocator);
  const Preemption preemption(store, judge, allocator);
  store.Follow(&cluster_);
  std::vector<NodeVictims> chosen;
  const std::vector<NodeVictims> candidates = {{"n1", {"v1"}, 0}, {"n2", {}, 0}};
  const Pod pod = PutPodOf("p", "wanted");
  ASSERT_TRUE(preemption.Preempt({.pod = pod, .candidates = candidates}, &chosen).ok());
  EXPECT_TRUE(selectors.met);
  EXPECT_EQ(chosen.size(), 2U);
  store.Stop();
}

}  // namespace
}  // namespace outrigger::devices::agent
