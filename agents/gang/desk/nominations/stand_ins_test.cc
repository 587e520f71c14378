#include "gang/desk/nominations/stand_ins.h"

#include <memory>
#include <string>

#include "board_testing.h"
#include "gtest/gtest.h"

namespace outrigger::desk {
namespace {

// 200 nodes, on which pods of gangs have places.
class StandInsTest : public ::testing::Test {
 protected:
  void Add(const std::string& gang, const std::string& cpu, size_t first, size_t nodes) {
    board_.AddGang(gang, 1, nodes, cpu);
    for (size_t i = 0; i < nodes; ++i) {
      board_.PlaceMember(gang, i, fmt::format("m{}", first + i));
    }
  }
  bool AreEnoughFor(const std::string& gang, bool samples = true) {
    const auto board = board_.Make();
    return StandIns(board.get(), 200, samples).AreEnoughFor(*board->FindUnit(LabelsGang(gang)));
  }
  MakeBoard board_;
};

TEST_F(StandInsTest, AreWhoAskForTheSameAndForNothingElse) {
  Add("a", "1", 0, 1);
  Add("b", "2", 1, 1);
  Add("crowd", "1", 2, 198);
  EXPECT_TRUE(AreEnoughFor("a"));
  EXPECT_FALSE(AreEnoughFor("b"));
  EXPECT_TRUE(AreEnoughFor("b", /*samples=*/false));
  board_.ChangeMember(
      "crowd", 0, [](Pod* pod) { pod->containers[0].requests.Set("cpu", Quantity::FromInt(2)); });
  EXPECT_FALSE(AreEnoughFor("crowd")) << "one of its members has none";
}

TEST_F(StandInsTest, AreNoneOfGangsThatSayWhereTheirMembersAreToBe) {
  Add("a", "1", 0, 1);
  Add("crowd", "1", 1, 199);
  board_.Wish("crowd", {{"rack"}, {}, {}});
  EXPECT_FALSE(AreEnoughFor("a"));
}

TEST_F(StandInsTest, CountNodesNotMembers) {
  Add("a", "1", 0, 1);
  Add("crowd", "2", 1, 199);
  board_.AddGang("small", 1, 50, "1");
  for (size_t i = 0; i < 50; ++i) board_.PlaceMember("small", i, "m1");
  EXPECT_FALSE(AreEnoughFor("a"));
}

TEST_F(StandInsTest, AreNotKnownOfTheThirtyThirdThatAsksForSomethingElse) {
  for (int i = 0; i < 32; ++i) Add(fmt::format("a{:02}", i), fmt::format("{}m", i + 1), 0, 1);
  Add("last", "3", 1, 199);
  EXPECT_FALSE(AreEnoughFor("last"));
}

}  // namespace
}  // namespace outrigger::desk
