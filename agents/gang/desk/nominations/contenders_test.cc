#include "gang/desk/nominations/contenders.h"

#include <memory>
#include <string>
#include <vector>

#include "board_testing.h"
#include "gtest/gtest.h"

namespace outrigger::desk {
namespace {

// A gang with a place on each of the nodes n1 and n2, of 4 cpu, and single pods beside it.
class ContendersOfTwoNodes : public ::testing::Test {
 protected:
  ContendersOfTwoNodes() {
    board_.PutNode(testing::MakeNode("n2"));
    board_.AddGang("train", 2, 2, "1");
    board_.PlaceMember("train", 1, "n2");
  }
  void AddSingle(const std::string& name, const std::string& cpu) {
    board_.AddSingle(testing::MakePod(name).Requests({{"cpu", cpu}}));
  }
  void Fill(const std::string& node) {
    Pod pod = testing::MakePod("on-" + node).Requests({{"cpu", "4"}});
    pod.node_name = node;
    board_.PutPod(pod);
  }
  bool Any() {
    const auto board = board_.Make();
    return Contenders(board.get(), &board->snapshot())
        .AnyFor(*board->FindUnit(LabelsGang("train")));
  }
  MakeBoard board_;
};

TEST_F(ContendersOfTwoNodes, TheSmallestPodCounts) {
  AddSingle("a", "5");
  AddSingle("b", "100");
  EXPECT_FALSE(Any());
  AddSingle("c", "4");
  AddSingle("d", "6");
  EXPECT_TRUE(Any());
}

TEST_F(ContendersOfTwoNodes, TheNodeWithTheMostRoomCounts) {
  AddSingle("a", "4");
  Fill("n2");
  EXPECT_TRUE(Any());
  Fill("n1");
  EXPECT_FALSE(Any());
}

TEST_F(ContendersOfTwoNodes, OfMoreThanAThousandPodsAnyMayBe) {
  for (int i = 0; i < 1000; ++i) AddSingle(fmt::format("p{}", i), "5");
  EXPECT_FALSE(Any());
  AddSingle("more", "5");
  EXPECT_TRUE(Any());
}

}  // namespace
}  // namespace outrigger::desk
