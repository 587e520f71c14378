// When the desk of several agents ends, and gives back its Lease.
#include <atomic>
#include <thread>

#include "fake_cluster.h"
#include "gang/desk/desk.h"
#include "gmock/gmock.h"

namespace outrigger::desk {
namespace {

class DeskStop : public ::testing::Test {
 protected:
  class Watcher final : public Participant {
   public:
    void OnPlan(const Round& /*round*/) override {
      is_called = true;
      ++plans;
      while (takes_long) std::this_thread::yield();
      is_called = false;
    }
    std::atomic<int> plans = 0;
    std::atomic<bool> takes_long = false;
    std::atomic<bool> is_called = false;
  };

  DeskStop() {
    cluster_.elections().Give();
    for (const char* agent : {"gang", "qos"}) {
      DeskTerms terms;
      terms.agent = agent;
      terms.mode = Mode::kAlone;
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
  Watcher of_qos_;
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

// Its participant may be gone after that.
TEST_F(DeskStop, PlanningEndsWithTheFirstAgent) {
  of_qos_.takes_long = true;
  StartBoth();
  std::jthread end([this] {
    // Long enough for a desk that does not wait.
    for (int i = 0; i < 20'000; ++i) std::this_thread::yield();
    of_qos_.takes_long = false;
  });
  desk_.Stop("qos");
  EXPECT_FALSE(of_qos_.is_called);
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
