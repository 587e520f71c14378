// Nobody is evicted in vain.
#include <string>
#include <vector>

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

}  // namespace
}  // namespace outrigger::devices::agent
