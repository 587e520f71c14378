// Until when the scheduler is taken to refuse a node.
#include "gang/desk/nominations/memory_refusals_testing.h"

namespace outrigger::desk {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(RefusalTest, IsForgottenWhenThePodsOfTheNodeChange) {
  MakeBoard board;
  board.AddGang("train", 1, 1);
  Learn(*board.Make(), kBegin);
  Refused("uid-train-0", "n1", kBegin);
  EXPECT_TRUE(IsRefused(&board, 0));
  Pod other = testing::MakePod("other");
  other.node_name = "n1";
  cluster_.Put(other);
  snapshot_ = cluster_.Take()->snapshot;
  EXPECT_FALSE(IsRefused(&board, 0));
}

// What the refusal was for may pass without a change of node or pods: a scheduler that was away, a
// driver that publishes its devices.
TEST_F(RefusalTest, IsTriedAgainAfterATimeAndThenAfterTwiceThat) {
  MakeBoard board;
  NominateAfterASecond(&board);
  ASSERT_TRUE(IsRefused(&board, 6));
  EXPECT_TRUE(IsRefused(&board, 35));
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(36));
  EXPECT_FALSE(IsRefused(&board, 36));
  EXPECT_EQ(Told(&board, 36), "n1") << "it is woken for it";
  ASSERT_TRUE(IsRefused(&board, 41));
  EXPECT_TRUE(IsRefused(&board, 100));
  EXPECT_FALSE(IsRefused(&board, 101));
}

TEST_F(RefusalTest, OfASchedulerThatOnlyDidNotAskEndsWhenItAsks) {
  MakeBoard board;
  NominateAfterASecond(&board);
  EXPECT_FALSE(IsRefused(&board, 5));
  EXPECT_FALSE(memory_.awaits_asks());
  ASSERT_TRUE(IsRefused(&board, 6));
  EXPECT_TRUE(IsRefused(&board, 7));
  EXPECT_TRUE(memory_.awaits_asks());
  Asked("uid-train-0", /*rejected=*/true, kBegin + seconds(8));
  EXPECT_FALSE(IsRefused(&board, 8));
  EXPECT_FALSE(memory_.awaits_asks());
}

TEST_F(RefusalTest, ThatWasSaidIsNotOverWhenItAsksAgain) {
  MakeBoard board;
  board.AddGang("train", 1, 1);
  Learn(*board.Make(), kBegin);
  Refused("uid-train-0", "n1", kBegin);
  ASSERT_TRUE(IsRefused(&board, 1));
  Asked("uid-train-0", /*rejected=*/true, kBegin + seconds(2));
  EXPECT_TRUE(IsRefused(&board, 2));
}

TEST_F(RefusalTest, IsForgottenWhenAnotherSchedulerIsAtWork) {
  MakeBoard board;
  NominateAfterASecond(&board);
  ASSERT_TRUE(IsRefused(&board, 6));
  memory_.ForgetScheduler(kBegin + seconds(10));
  EXPECT_FALSE(IsRefused(&board, 10));
  EXPECT_EQ(Told(&board, 10), "n1");
}

TEST_F(RefusalTest, AnotherSchedulerHasItsTimeToAnswerWhatTheFormerOneWasTold) {
  MakeBoard board;
  NominateAfterASecond(&board);
  Shows(&board, "n1");
  memory_.ForgetScheduler(kBegin + seconds(5));
  EXPECT_FALSE(IsRefused(&board, 9));
  EXPECT_TRUE(IsRefused(&board, 10));
}

TEST_F(RefusalTest, AGangThatHasRestedIsLookedAtOnce) {
  MakeBoard board;
  RefuseThreeNodes(&board);
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(1));
  board.Refuse("train", "refused");
  Learn(*board.Make(), kBegin + seconds(1));
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(30)) << "when the refusals end";
}

// Nodes are tried one a minute in the end: the first is not tried again before the last was at all.
TEST_F(RefusalTest, OfManyNodesHoldsUntilAllCouldBeTried) {
  MakeBoard board;
  RefuseThreeNodes(&board);
  const auto nodes_at = [&](int second) {
    return Prepare(board, kBegin + seconds(second))[0].members[0].refused;
  };
  EXPECT_THAT(nodes_at(29), ElementsAre("n1", "n2", "n3"));
  EXPECT_THAT(nodes_at(30), ElementsAre("n3"));
  EXPECT_THAT(nodes_at(359), ElementsAre("n3"));
  EXPECT_THAT(nodes_at(360), IsEmpty());
}

TEST_F(RefusalTest, OfASchedulerThatAsksAfterAllDoesNotMakeTheNextRestLonger) {
  MakeBoard board;
  RefuseThreeNodes(&board, /*silent=*/true);
  ASSERT_EQ(memory_.next_look(), kBegin + seconds(1));
  Asked("uid-train-0", /*rejected=*/true, kBegin + seconds(8));
  for (const char* node : {"n1", "n2", "n3"}) Refused("uid-train-0", node, kBegin + seconds(9));
  Learn(*board.Make(), kBegin + seconds(9));
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(10));
}

struct PodChange {
  const char* name;
  std::function<void(Pod*)> change;
  bool matters = true;
};

TEST_F(RefusalTest, IsForgottenWhenThePodChanges) {
  const PodChange rows[] = {
      {"tolerations",
       [](Pod* pod) {
         pod->tolerations = {{"gpu", "", true, {}}};
       }},
      {"labels", [](Pod* pod) { pod->labels.Set("app", "a"); }},
      {"gates", [](Pod* pod) { pod->scheduling_gates = {"example.com/quota"}; }},
      {"claims", [](Pod* pod) { pod->resource_claims = {"gpu"}; }},
      {"requests", [](Pod* pod) { pod->containers[0].requests.Set("cpu", testing::Q("2")); }},
      {"condition", [](Pod* pod) { pod->unscheduled_message = "0/1 nodes"; }, false},
      {"nomination", [](Pod* pod) { pod->nominated_node_name = "n1"; }, false},
  };
  for (const PodChange& row : rows) {
    MakeBoard board;
    board.AddGang("train", 1, 1);
    Learn(*board.Make(), kBegin);
    Refused("uid-train-0", "n1", kBegin);
    ASSERT_TRUE(IsRefused(&board, 0)) << row.name;
    board.ChangeMember("train", 0, row.change);
    EXPECT_EQ(IsRefused(&board, 0), !row.matters) << row.name;
  }
}

}  // namespace
}  // namespace outrigger::desk
