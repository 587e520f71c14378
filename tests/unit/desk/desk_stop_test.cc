// When the desk of several agents ends, and gives back its Lease.
#include <atomic>
#include <thread>

#include "builders.h"
#include "fake_cluster.h"
#include "gmock/gmock.h"
#include "outrigger/desk/desk.h"

namespace outrigger::desk {
namespace {

class DeskStop : public ::testing::Test {
 protected:
  // Counts plans.
  class Counter final : public Participant {
   public:
    void OnPlan(const Round& /*round*/) override { ++plans; }
    std::atomic<int> plans = 0;
  };

  DeskStop() {
    cluster_.elections().Give();
    for (const char* agent : {"gang", "qos"}) {
      DeskTerms terms;
      terms.agent = agent;
      terms.without_extender = true;
      if (terms.agent == "qos") terms.participant = &of_qos_;
      EXPECT_TRUE(desk_.Join(terms).ok());
    }
  }
  void StartBoth() {
    ASSERT_TRUE(desk_.Start().ok());
    ASSERT_TRUE(desk_.Start().ok());
    while (of_qos_.plans == 0) std::this_thread::yield();
  }

  testing::FakeCluster cluster_;
  Counter of_qos_;
  Desk desk_{&cluster_};
};

// Other agents may be writing still.
TEST_F(DeskStop, TheLeaseGoesBackWithTheLastAgent) {
  StartBoth();
  desk_.Stop("qos");
  desk_.Stop("qos");
  EXPECT_TRUE(cluster_.elections().IsStoodFor());
  EXPECT_TRUE(desk_.MayWrite({}).ok());
  desk_.Stop("gang");
  EXPECT_FALSE(cluster_.elections().IsStoodFor());
  EXPECT_FALSE(desk_.MayWrite({}).ok());
}

// Its participant may be gone by now.
TEST_F(DeskStop, PlanningEndsWithTheFirstAgent) {
  StartBoth();
  desk_.Stop("qos");
  const int plans = of_qos_.plans;
  cluster_.Put(testing::MakePod("a"));
  desk_.Nudge();
  desk_.Stop("gang");
  EXPECT_EQ(of_qos_.plans, plans);
}

TEST_F(DeskStop, AnAgentMayStopThoughItOrAnotherNeverStarted) {
  desk_.Stop("gang");
  ASSERT_TRUE(desk_.Start().ok()) << "gang alone";
  EXPECT_FALSE(cluster_.elections().IsStoodFor());
  desk_.Stop("qos");
  desk_.Stop("gang");
  EXPECT_FALSE(desk_.MayWrite({}).ok());
}

// What was stopped before that is not over.
TEST_F(DeskStop, CountsFromTheStartOn) {
  desk_.Stop("gang");
  StartBoth();
  desk_.Stop("qos");
  EXPECT_TRUE(cluster_.elections().IsStoodFor());
}

}  // namespace
}  // namespace outrigger::desk
