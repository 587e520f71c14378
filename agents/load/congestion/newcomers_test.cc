// Congestion in a cluster to which pods come between two measurements.
#include <chrono>
#include <string>
#include <string_view>

#include "agent_under_test.h"
#include "fake_cluster.h"
#include "fmt/format.h"
#include "gmock/gmock.h"

namespace outrigger::congestion {

AgentFactory MakeFactory();

namespace {

using testing::AgentUnderTest;
using ::testing::ElementsAre;
using testing::MakeNode;
using testing::MakePod;
using testing::OwnedRequest;

/// Nodes a and b with ten pods each, and the time.
class Newcomers : public ::testing::Test {
 protected:
  Newcomers() {
    Measure("a", 30);
    Measure("b", 50);
    Place("a", 10);
    Place("b", 10);
    Scores();
  }

  void Measure(std::string_view node, int factor) {
    cluster_.Put(MakeNode(node).Annotation("congestion-factor", std::to_string(factor)));
  }
  void Place(std::string_view node, int pods) {
    for (int i = 0; i < pods; ++i) {
      Pod pod = MakePod(fmt::format("p{}", placed_++));
      pod.node_name = node;
      cluster_.Put(pod);
    }
  }
  OwnedRequest Asked(bool explaining = false) {
    const auto snapshot = cluster_.Take()->snapshot;
    return {MakePod("asks"),
            {snapshot->FindNode("a")->node(), snapshot->FindNode("b")->node()},
            explaining};
  }
  std::vector<int> Scores() { return agent_.Scores(Asked()); }

  testing::FakeCluster cluster_;
  std::chrono::steady_clock::time_point now_{std::chrono::hours(1)};
  Clock clock_{.now = [this] { return now_; }};
  int placed_ = 0;
  AgentUnderTest agent_{MakeFactory(), {}, &cluster_, clock_};
};

// 80 of factor for 20 pods: 4 for each.
TEST_F(Newcomers, CountAsMuchAsThePodsThatAreMeasured) {
  EXPECT_THAT(Scores(), ElementsAre(7, 5));
  Place("a", 10);
  EXPECT_THAT(Scores(), ElementsAre(3, 5));
  EXPECT_EQ(agent_.Score(Asked(true))[0].why.text(),
            "congestion factor 30 of 100, +40.0 for +10 pods since then");
}

TEST_F(Newcomers, AreMeasuredOnceTheFactorChanges) {
  Place("a", 10);
  Measure("a", 60);
  EXPECT_THAT(Scores(), ElementsAre(4, 5));
}

TEST_F(Newcomers, AreTakenOffWhenPodsGo) {
  for (int i = 0; i < 5; ++i) cluster_.RemovePod(fmt::format("p{}", i));
  EXPECT_THAT(Scores(), ElementsAre(9, 5));
}

TEST_F(Newcomers, NeverLeaveTheRange) {
  Place("a", 100);
  EXPECT_THAT(Scores(), ElementsAre(0, 5));
}

// A monitor that writes changes alone says nothing where pods changed nothing.
TEST_F(Newcomers, CountForFiveMinutesAtMost) {
  Place("a", 10);
  now_ += std::chrono::seconds(299);
  EXPECT_THAT(Scores(), ElementsAre(3, 5));
  now_ += std::chrono::seconds(1);
  EXPECT_THAT(Scores(), ElementsAre(7, 5));
}

TEST_F(Newcomers, KeepTheirNodesWhenNodesComeAndGo) {
  Place("b", 5);
  Measure("0-comes-first", 0);
  cluster_.RemoveNode("a");
  Measure("a", 30);
  EXPECT_THAT(Scores(), ElementsAre(7, 3));
}

TEST_F(Newcomers, AreNotKnownWhileTheViewIsTooOld) {
  const OwnedRequest request = Asked();
  Place("a", 10);
  cluster_.SetUsable(absl::UnavailableError("too old"));
  EXPECT_THAT(agent_.Scores(request), ElementsAre(7, 5));
}

}  // namespace
}  // namespace outrigger::congestion
