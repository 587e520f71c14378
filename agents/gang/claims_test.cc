#include "gang_testing.h"

// Gangs whose members have volumes, on the agent as a whole.

namespace outrigger::gang {
namespace {

using Names = std::vector<std::string>;

NodeSelector On(const std::string& node) {
  NodeSelector selector;
  selector.terms.emplace_back().match_fields.push_back(
      {"metadata.name", SelectorOperator::kIn, {node}});
  return selector;
}

class ClaimsTest : public GangTest {
 protected:
  // Two nodes for a gang of two, of which train-0 has a volume on n1.
  void StartWithAVolume() {
    Nodes(2);
    cluster_.Put(Volume{"pv", On("n1"), {}});
    cluster_.Put(VolumeClaim{"default", "data", "pv", true, ""});
    Pod with_volume = Member("train", 0, 2);
    with_volume.claims = {"data"};
    cluster_.Put(with_volume);
    cluster_.Put(Member("train", 1, 2));
    StartWithPlan();
  }
};

TEST_F(ClaimsTest, AMemberGoesWhereItsVolumeIsAndTheOthersLeaveItThePlace) {
  StartWithAVolume();
  Await([&] { return Passing("train-0") == Names{"n1"}; });
  EXPECT_EQ(Passing("train-1"), Names{"n0"});
  cluster_.Put(Volume{"pv", On("n0"), {}});
  Await([&] { return Passing("train-0") == Names{"n0"}; });
  EXPECT_EQ(Passing("train-1"), Names{"n1"});
}

TEST_F(ClaimsTest, AGangSaysThatTheNodeOfAVolumeTakesNoPods) {
  StartWithAVolume();
  Await([&] { return Passing("train-0") == Names{"n1"}; });
  Node closed = nodes_[1];
  closed.unschedulable = true;
  cluster_.Put(closed);
  Await([&] {
    return Reason("train-1") ==
           "gang default/train waits: nodes of volumes and claims (see outrigger explain gang)";
  });
  cluster_.Put(nodes_[1]);
  Await([&] { return Passing("train-1") == Names{"n0"}; });
}

}  // namespace
}  // namespace outrigger::gang
