// Nodes are scored for pods with ResourceClaims.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "devices/dra/reader.h"
#include "devices_testing.h"

namespace outrigger::devices::agent {
namespace {

class DraScoring : public DevicesTest {
 protected:
  static Json DraObject(const CustomKind& kind, const std::string& name, Json spec) {
    Json object = {{"apiVersion", "resource.k8s.io/v1"},
                   {"kind", kind.kind},
                   {"metadata", {{"name", name}}},
                   {"spec", std::move(spec)}};
    if (kind.namespaced) object["metadata"]["namespace"] = "default";
    return object;
  }
  // A node with four devices in two NUMA nodes.
  void PutDraNode(const std::string& node) {
    AddNode(node);
    Json devices = Json::array();
    for (int i = 0; i < 4; ++i) {
      devices.push_back(
          {{"name", fmt::format("g{}", i)}, {"attributes", {{"numa", {{"int", i / 2}}}}}});
    }
    cluster_.custom().Put(
        dra::kSliceKind,
        DraObject(dra::kSliceKind, node,
                  {{"driver", "gpu.example.com"},
                   {"nodeName", node},
                   {"pool", {{"name", node}, {"generation", 1}, {"resourceSliceCount", 1}}},
                   {"devices", devices}}));
  }
  void PutDraClaim(const std::string& name, int count, const std::string& node = "",
                   const std::vector<std::string>& devices = {}) {
    Json claim = DraObject(
        dra::kClaimKind, name,
        {{"devices",
          {{"requests",
            {{{"name", "r"}, {"exactly", {{"deviceClassName", "gpu"}, {"count", count}}}}}}}}});
    for (const std::string& device : devices) {
      claim["status"]["allocation"]["devices"]["results"].push_back(
          {{"request", "r"}, {"driver", "gpu.example.com"}, {"pool", node}, {"device", device}});
    }
    cluster_.custom().Put(dra::kClaimKind, std::move(claim));
  }
  Pod PodOf(const std::string& claim) {
    Pod pod = testing::MakePod("p");
    pod.resource_claims = {claim};
    cluster_.Put(pod);
    return cluster_.Get("p");
  }
  std::vector<double> Scores(const Pod& pod) {
    std::vector<double> values;
    for (const NodeScore& score : agent_->Score(testing::OwnedRequest(pod, nodes_))) {
      values.push_back(score.value);
    }
    return values;
  }

  void SetUp() override {
    // However slow the machine is, a call has time.
    clock_.now = [] {
      return Clock::TimePoint(std::chrono::steady_clock::now().time_since_epoch() / 100);
    };
    cluster_.custom().Put(dra::kClassKind, DraObject(dra::kClassKind, "gpu", Json::object()));
    PutDraNode("a");
    PutDraNode("b");
  }
};

TEST_F(DraScoring, TheFullerNodeAndTheBrokenGroupComeFirst) {
  PutDraClaim("held", 1, "b", {"g0"});
  PutDraClaim("one", 1);
  Start({{"dra", "true"}, {"topology-attributes", "numa"}});
  const Pod pod = PodOf("one");
  // a: one of four in use afterwards, and a pair is broken; b: two of four, in the broken pair.
  EXPECT_EQ(Scores(pod), (std::vector<double>{0.5 * 0.25 + 0.2, 0.5 * 0.5 + 0.3 + 0.2}));
  PutDraClaim("held", 4, "b", {"g0", "g1", "g2", "g3"});
  EXPECT_EQ(Scores(pod), (std::vector<double>{0.5 * 0.25 + 0.2, 0}));
}

TEST_F(DraScoring, NothingIsSaidWithoutTheSetting) {
  PutDraClaim("one", 1);
  Start();
  EXPECT_EQ(Scores(PodOf("one")), (std::vector<double>{0, 0}));
}

TEST_F(DraScoring, NothingIsSaidOfAClaimThatIsNotKnownOrHasItsDevices) {
  PutDraClaim("old", 1, "a", {"g0"});
  Start({{"dra", "true"}});
  EXPECT_EQ(Scores(PodOf("other")), (std::vector<double>{0, 0}));
  EXPECT_EQ(Scores(PodOf("old")), (std::vector<double>{0, 0}));
}

// A tenant's expression costs a call so much, and no more.
TEST_F(DraScoring, ACostlyClaimIsNotScored) {
  Json claim = DraObject(dra::kClaimKind, "costly", Json::object());
  Json selectors = Json::array();
  for (int i = 0; i < 32; ++i) {
    selectors.push_back(
        {{"cel",
          {{"expression",
            fmt::format("lists.range(200).all(x, lists.range(200).all(y, x + y < {}))",
                        9999 + i)}}}});
  }
  claim["spec"]["devices"]["requests"] = {
      {{"name", "r"},
       {"exactly", {{"deviceClassName", "gpu"}, {"count", 1}, {"selectors", selectors}}}}};
  cluster_.custom().Put(dra::kClaimKind, claim);
  PutDraClaim("one", 1);
  Start({{"dra", "true"}});
  const testing::OwnedRequest request(PodOf("costly"), nodes_);
  std::vector<NodeScore> scores(nodes_.size());
  const absl::Status said = dynamic_cast<Scorer&>(agent_->agent()).Score(*request, scores);
  EXPECT_EQ(said.message(),
            "the ResourceClaims of pod default/p cost more than the limit of one call");
  EXPECT_GT(Scores(PodOf("one"))[0], 0);
}

TEST_F(DraScoring, ATaintRuleCounts) {
  PutDraClaim("one", 1);
  Json rule = DraObject(dra::kTaintRuleKind, "broken",
                        {{"deviceSelector", {{"pool", "a"}}},
                         {"taint", {{"key", "broken"}, {"effect", "NoSchedule"}}}});
  cluster_.custom().Put(dra::kTaintRuleKind, rule);
  Start({{"dra", "true"}});
  const std::vector<double> scores = Scores(PodOf("one"));
  EXPECT_EQ(scores[0], 0);
  EXPECT_GT(scores[1], 0);
}

TEST_F(DraScoring, WhatIsDeletedCountsNoMore) {
  PutDraClaim("held", 4, "b", {"g0", "g1", "g2", "g3"});
  PutDraClaim("one", 1);
  Start({{"dra", "true"}});
  const Pod pod = PodOf("one");
  EXPECT_EQ(Scores(pod)[1], 0);
  cluster_.custom().Delete(dra::kClaimKind, "default", "held");
  EXPECT_GT(Scores(pod)[1], 0);
  cluster_.custom().Delete(dra::kSliceKind, "", "b");
  EXPECT_EQ(Scores(pod)[1], 0);
}

}  // namespace
}  // namespace outrigger::devices::agent
