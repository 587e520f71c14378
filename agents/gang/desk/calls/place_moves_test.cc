#include "gang/desk/calls/place_moves.h"

#include <functional>
#include <memory>
#include <string>

#include "board_testing.h"
#include "gtest/gtest.h"

namespace outrigger::desk {
namespace {

using testing::MakeNode;

// The gangs a and b of one member each, with places on n1 and n2.
class PlaceMovesTest : public ::testing::Test {
 protected:
  PlaceMovesTest() {
    for (const char* const node : {"n2", "n3"}) board_.PutNode(MakeNode(node));
    for (const char* const gang : {"a", "b"}) board_.AddGang(gang, 1, 1, "3");
    Place("n1", "n2");
  }
  void Place(const std::string& a, const std::string& b) {
    board_.PlaceMember("a", 0, a);
    board_.PlaceMember("b", 0, b);
    made_ = board_.Make();
  }
  bool Move(const std::string& gang, const std::string& node) {
    return moves_.MoveTo(node, *made_, SeatOf(gang));
  }
  std::string PlaceOf(const std::string& gang) const {
    return moves_.PlaceOf(*made_, SeatOf(gang));
  }
  const BoardPod& SeatOf(const std::string& gang) const {
    return *made_->Find("uid-" + gang + "-0");
  }

  MakeBoard board_;
  std::shared_ptr<const Board> made_;
  PlaceMoves moves_;
};

TEST_F(PlaceMovesTest, AFreeNodeIsTakenByOne) {
  EXPECT_TRUE(Move("a", "n3"));
  EXPECT_EQ(PlaceOf("a"), "n3");
  EXPECT_FALSE(Move("b", "n3")) << "no board shows yet who was moved there";
  moves_.Answered("uid-a-0", /*passes=*/true);
  EXPECT_FALSE(Move("a", "n2")) << "it has moved";
}

TEST_F(PlaceMovesTest, TwoThatAskForTheSameExchangeTheirPlaces) {
  EXPECT_TRUE(Move("a", "n2"));
  EXPECT_EQ(PlaceOf("a"), "n2");
  EXPECT_EQ(PlaceOf("b"), "n1");
}

TEST_F(PlaceMovesTest, WhoGotAnotherPlaceThatIsNotOfferedEitherMovesOn) {
  board_.AddGang("c", 1, 1, "3");
  board_.PlaceMember("c", 0, "n3");
  Place("n1", "n2");
  EXPECT_TRUE(Move("a", "n2"));
  const auto made = moves_.Made();
  EXPECT_TRUE(Move("b", "n3"));
  EXPECT_EQ(PlaceOf("a"), "n2");
  EXPECT_EQ(PlaceOf("b"), "n3");
  EXPECT_EQ(PlaceOf("c"), "n1");
  Place("n2", "n1");  // the next plan was begun before b moved on
  moves_.OnBoard(*made_, made);
  EXPECT_EQ(PlaceOf("a"), "n2");
  EXPECT_EQ(PlaceOf("b"), "n3");
  EXPECT_EQ(PlaceOf("c"), "n1");
  board_.PlaceMember("c", 0, "n2");
  Place("n2", "n1");
  EXPECT_EQ(PlaceOf("b"), "n1") << "c is no more where they exchanged";
}

TEST_F(PlaceMovesTest, WhoWasLetPassKeepsItsPlace) {
  moves_.Answered("uid-b-0", /*passes=*/true);
  EXPECT_FALSE(Move("a", "n2"));
  moves_.Answered("uid-b-0", /*passes=*/false);
  EXPECT_TRUE(Move("a", "n2"));
}

TEST_F(PlaceMovesTest, WhoAsksForSomethingElseOrHasExchangedKeepsItsPlace) {
  board_.AddGang("b", 1, 1, "2");
  Place("n1", "n2");
  EXPECT_FALSE(Move("a", "n2")) << "b asks for less";
  board_.AddGang("b", 1, 1, "3");
  board_.AddGang("c", 1, 1, "3");
  board_.PlaceMember("c", 0, "n3");
  Place("n1", "n2");
  EXPECT_TRUE(Move("a", "n2"));
  EXPECT_FALSE(Move("c", "n2")) << "b has another place, which no board shows yet";
  EXPECT_FALSE(Move("c", "n1")) << "it is the place of b that a had";
}

TEST_F(PlaceMovesTest, AFreeNodeThatIsNoMoreFreeIsNoPlace) {
  EXPECT_TRUE(Move("a", "n3"));
  Pod other = testing::MakePod("other").Requests({{"cpu", "2"}});
  other.node_name = "n3";
  board_.PutPod(other);
  Place("n1", "n2");
  EXPECT_EQ(PlaceOf("a"), "n1");
  EXPECT_FALSE(Move("a", "n2")) << "its move is still known";
  moves_.OnBoard(*made_, {});
  EXPECT_TRUE(moves_.Made().empty());
}

TEST_F(PlaceMovesTest, OfAChainOfExchangesAllHoldOrNone) {
  board_.AddGang("c", 1, 1, "3");
  board_.PlaceMember("c", 0, "n3");
  Place("n1", "n2");
  EXPECT_TRUE(Move("a", "n2"));
  EXPECT_TRUE(Move("b", "n3"));
  board_.PlaceMember("c", 0, "n4");
  Place("n1", "n2");
  EXPECT_EQ(PlaceOf("a"), "n1");
  EXPECT_EQ(PlaceOf("b"), "n2");
}

TEST_F(PlaceMovesTest, ASinglePodKeepsItsPlace) {
  board_.Hold();
  board_.AddSingle(testing::MakePod("single").Requests({{"cpu", "3"}}), "n3");
  Place("n1", "n2");
  EXPECT_FALSE(Move("a", "n3"));
}

TEST_F(PlaceMovesTest, AFreeNodeStaysTakenUntilABoardShowsIt) {
  EXPECT_TRUE(Move("a", "n3"));
  moves_.OnBoard(*made_, {});
  EXPECT_FALSE(Move("b", "n3"));
  moves_.Clear();
  EXPECT_EQ(PlaceOf("a"), "n1");
  EXPECT_TRUE(Move("b", "n3"));
}

TEST_F(PlaceMovesTest, WhoHasNoPlaceAnyMoreIsUntriedAtTheNext) {
  moves_.Answered("uid-b-0", /*passes=*/true);
  moves_.OnBoard(*made_, {});
  EXPECT_FALSE(Move("a", "n2"));
  Place("n1", "");
  moves_.OnBoard(*made_, {});
  Place("n1", "n2");
  EXPECT_TRUE(Move("a", "n2"));
}

TEST_F(PlaceMovesTest, NoPlaceIsExchangedForANodeThatIsKept) {
  board_.Keep("n1", "a");
  Place("n1", "n2");
  EXPECT_FALSE(Move("a", "n2"));
}

TEST_F(PlaceMovesTest, NoPlaceIsExchangedForANodeWhereTheOtherMayNotBe) {
  const Node bad[] = {MakeNode("n1").Unschedulable(),
                      MakeNode("n1").AddTaint("gpu", "", TaintEffect::kNoSchedule)};
  for (const Node& node : bad) {
    board_.PutNode(node);
    Place("n1", "n2");
    EXPECT_FALSE(Move("a", "n2"));
  }
}

TEST_F(PlaceMovesTest, WhoIsNominatedOrMayNotBeThereKeepsItsPlace) {
  const std::function<void(Pod*)> changes[] = {
      [](Pod* pod) { pod->nominated_node_name = "n2"; },
      [](Pod* pod) { pod->node_selector.Set("kubernetes.io/hostname", "n2"); },
      [](Pod* pod) { pod->topology_spread.emplace_back().max_skew = 1; },
  };
  const Pod before = *SeatOf("b").pod;
  for (const auto& change : changes) {
    board_.ChangeMember("b", 0, [&](Pod* pod) { *pod = before, change(pod); });
    Place("n1", "n2");
    EXPECT_FALSE(Move("a", "n2"));
  }
}

TEST_F(PlaceMovesTest, TheBoardThatIsMadeWithAMoveShowsIt) {
  EXPECT_TRUE(Move("a", "n2"));
  const auto made = moves_.Made();
  moves_.OnBoard(*made_, {});
  EXPECT_EQ(PlaceOf("a"), "n2") << "this one was begun before";
  Place("n2", "n1");
  moves_.OnBoard(*made_, made);
  EXPECT_EQ(PlaceOf("a"), "n2");
  EXPECT_EQ(PlaceOf("b"), "n1");
  EXPECT_TRUE(moves_.Made().empty());
}

TEST_F(PlaceMovesTest, AMoveThatABoardDoesNotFitToCountsForNeither) {
  EXPECT_TRUE(Move("a", "n2"));
  Place("n1", "n3");
  EXPECT_EQ(PlaceOf("a"), "n1");
  EXPECT_EQ(PlaceOf("b"), "n3");
  moves_.OnBoard(*made_, {});
  EXPECT_TRUE(moves_.Made().empty());
}

}  // namespace
}  // namespace outrigger::desk
