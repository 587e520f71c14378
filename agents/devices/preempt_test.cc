// Nobody is evicted in vain.
#include <chrono>
#include <future>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
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
      {"n1", {"v1"}, 0}, {"n2", {"v2"}, 0}, {"n3", {"v4"}, 0}, {"n4", {"v4"}, 0}};
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
  EXPECT_THAT(Left(pod, {{"n1", {"v2"}, 0}}), IsEmpty());
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
  const std::vector<NodeVictims> candidates = {{"n1", {"v1"}, 0}, {"n2", {"v2"}, 0}};
  const Pod pod = PutPodOf("p", "wanted");
  ASSERT_TRUE(preemption.Preempt({.pod = pod, .candidates = candidates}, &chosen).ok());
  EXPECT_TRUE(selectors.met);
  EXPECT_EQ(chosen.size(), 2U);
  store.Stop();
}

// Claims are "name=devices:pod,pod"; pods are "name/priority", all on n1, which has 4 foozers.
struct VictimsRow {
  const char* why;
  int64_t wanted;
  std::vector<std::pair<std::string, int32_t>> pods;
  struct Held {
    std::string claim;
    int64_t devices;
    std::vector<std::string> pods;
  };
  std::vector<Held> held;
  std::vector<std::string> victims;  // none: the node is left out
};

void PrintTo(const VictimsRow& row, std::ostream* out) {
  *out << row.why;
}

class DevicesVictims : public DevicesPreempt, public ::testing::WithParamInterface<VictimsRow> {};

TEST_P(DevicesVictims, AreChosenWhereTheSchedulerChoseNone) {
  const VictimsRow& row = GetParam();
  PutNodes(1, 4);
  for (const auto& [name, priority] : row.pods) {
    Pod pod = testing::MakePod(name);
    pod.uid = name;
    pod.node_name = "n1";
    pod.priority = priority;
    cluster_.Put(pod);
  }
  for (const VictimsRow::Held& held : row.held) {
    PutHeld(held.claim, "n1", held.devices, held.pods);
  }
  PutClaim("wanted", row.wanted);
  Pod pod = PutPodOf("p", "wanted");
  pod.priority = 10;
  DeviceStore store;
  const auto selectors = MakeCelSelectors();
  const Allocator allocator(*selectors, {.always_resolve = true});
  const Judge judge(store, allocator);
  const Preemption preemption(store, judge, allocator, &cluster_);
  store.Follow(&cluster_);
  const std::vector<NodeVictims> candidates = {{"n1", {}, 0}};
  std::vector<NodeVictims> chosen;
  ASSERT_TRUE(preemption.Preempt({.pod = pod, .candidates = candidates}, &chosen).ok());
  store.Stop();
  std::vector<std::string> victims;
  for (const NodeVictims& node : chosen) {
    EXPECT_EQ(node.node, "n1");
    victims.insert(victims.end(), node.pod_uids.begin(), node.pod_uids.end());
  }
  EXPECT_EQ(victims, row.victims);
  EXPECT_EQ(chosen.empty(), row.victims.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Rows, DevicesVictims,
    ::testing::Values(
        VictimsRow{"one is enough", 1, {{"a", 0}}, {{"ca", 4, {"a"}}}, {"a"}},
        VictimsRow{"the lowest priority goes",
                   2,
                   {{"a", 5}, {"b", 1}},
                   {{"ca", 2, {"a"}}, {"cb", 2, {"b"}}},
                   {"b"}},
        VictimsRow{"of equal priority the fewest pods go",
                   2,
                   {{"a", 1}, {"b", 1}, {"c", 1}},
                   {{"ca", 1, {"a"}}, {"cb", 2, {"b"}}, {"cc", 1, {"c"}}},
                   {"b"}},
        VictimsRow{"of equals the last names go",
                   1,
                   {{"a", 1}, {"b", 1}},
                   {{"ca", 2, {"a"}}, {"cb", 2, {"b"}}},
                   {"b"}},
        VictimsRow{"victims come by decreasing priority",
                   4,
                   {{"a", 1}, {"b", 5}},
                   {{"ca", 2, {"a"}}, {"cb", 2, {"b"}}},
                   {"b", "a"}},
        VictimsRow{"pods of equal or higher priority stay",
                   3,
                   {{"a", 10}, {"b", 11}, {"c", 9}},
                   {{"ca", 1, {"a"}}, {"cb", 1, {"b"}}, {"cc", 2, {"c"}}},
                   {}},
        VictimsRow{"a shared claim needs all of its pods",
                   4,
                   {{"a", 1}, {"b", 2}},
                   {{"shared", 4, {"a", "b"}}},
                   {"b", "a"}},
        VictimsRow{"a shared claim stays with a pod of higher priority",
                   4,
                   {{"a", 1}, {"b", 12}},
                   {{"shared", 4, {"a", "b"}}},
                   {}},
        VictimsRow{"nothing helps", 5, {{"a", 1}}, {{"ca", 4, {"a"}}}, {}},
        VictimsRow{"nothing is needed", 2, {{"a", 1}}, {{"ca", 1, {"a"}}}, {}},
        VictimsRow{"pods without devices stay", 4, {{"a", 1}, {"b", 0}}, {{"ca", 4, {"a"}}}, {"a"}},
        VictimsRow{"a pod that is not on the node is no victim", 4, {}, {{"ca", 4, {"a"}}}, {}}));

}  // namespace
}  // namespace outrigger::devices::agent
