#include "preempt.h"

#include <string>
#include <vector>

#include "builders.h"
#include "fake_cluster.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::penalty {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Pod PodOf(std::string_view name, std::string_view priority_class, std::string_view node = "",
          std::string_view gang = "") {
  Pod pod = testing::MakePod(name);
  pod.uid = "uid-" + std::string(name);
  pod.priority_class_name = priority_class;
  pod.node_name = node;
  if (!gang.empty()) {
    pod.annotations = testing::MakePod()
                          .Annotation("scheduling.k8s.io/group-name", gang)
                          .
                          operator Pod()
                          .annotations;
  }
  return pod;
}

class PenaltyPreempt : public ::testing::Test {
 protected:
  void SetUp() override {
    cluster_.Put(Node(testing::MakeNode("a")));
    cluster_.Put(Node(testing::MakeNode("b")));
    cluster_.Put(PodOf("gold-1", "gold", "a"));
    cluster_.Put(PodOf("silver-1", "silver", "b"));
    cluster_.Put(PodOf("member-1", "silver", "a", "train"));
  }

  // Nodes on which `pod` may preempt these pods.
  std::vector<std::string> Chosen(const Pod& pod, std::vector<NodeVictims> candidates) {
    const auto view = cluster_.Take();
    std::vector<NodeVictims> chosen;
    left_out_ = ChooseVictims(
        {pod, candidates}, *view->snapshot,
        [](std::string_view name) { return name.starts_with("gold") ? "gold" : ""; }, &chosen);
    std::vector<std::string> nodes;
    for (const NodeVictims& victims : chosen) nodes.push_back(victims.node);
    return nodes;
  }

  testing::FakeCluster cluster_;
  size_t left_out_ = 0;
};

TEST_F(PenaltyPreempt, LeavesOutNodesWhereAVictimHasThePreemptorsPenalisedClass) {
  EXPECT_THAT(Chosen(PodOf("gold-2", "gold"), {{"a", {"uid-gold-1"}}, {"b", {"uid-silver-1"}}}),
              ElementsAre("b"));
  EXPECT_EQ(left_out_, 1U);
}

TEST_F(PenaltyPreempt, TakesAllNamesOfAClassForOne) {
  EXPECT_THAT(Chosen(PodOf("gold-2", "gold-at-950"), {{"a", {"uid-gold-1"}}}), IsEmpty());
}

TEST_F(PenaltyPreempt, LeavesANodeOutForOneVictimOfSeveral) {
  EXPECT_THAT(Chosen(PodOf("gold-2", "gold"), {{"a", {"uid-member-1", "uid-gold-1"}}}), IsEmpty());
}

TEST_F(PenaltyPreempt, KeepsVictimsOfAClassThatIsNotPenalised) {
  EXPECT_THAT(Chosen(PodOf("silver-2", "silver"), {{"b", {"uid-silver-1"}}}), ElementsAre("b"));
}

TEST_F(PenaltyPreempt, KeepsAGangFromPreemptingItself) {
  EXPECT_THAT(Chosen(PodOf("member-2", "bronze", "", "train"), {{"a", {"uid-member-1"}}}),
              IsEmpty());
  EXPECT_THAT(Chosen(PodOf("other-1", "bronze", "", "serve"), {{"a", {"uid-member-1"}}}),
              ElementsAre("a"));
}

TEST_F(PenaltyPreempt, TakesAVictimThatTheViewDoesNotHaveForOneOfAnotherClass) {
  EXPECT_THAT(Chosen(PodOf("gold-2", "gold"), {{"a", {"uid-unknown"}}}), ElementsAre("a"));
}

TEST_F(PenaltyPreempt, KeepsAllCandidatesOfAPodWithoutAClass) {
  EXPECT_THAT(Chosen(PodOf("plain", ""), {{"a", {"uid-gold-1"}}, {"b", {"uid-silver-1"}}}),
              ElementsAre("a", "b"));
}

}  // namespace
}  // namespace outrigger::penalty
