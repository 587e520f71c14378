#include "gang/plan/pairs/tally.h"

#include "pairs_testing.h"

namespace outrigger::plan {
namespace {

using ::testing::ElementsAre;
using testing::MakeNode;

Node InZone(std::string_view zone) {
  return MakeNode().Label("zone", zone);
}

TEST(Axis, NodesOfOneValueShareADomain) {
  Axis axis("zone");
  axis.Resize(4);
  const Node nodes[] = {InZone("x"), InZone("y"), InZone("x"), MakeNode()};
  for (size_t slot = 0; slot < 4; ++slot) axis.Set(slot, &nodes[slot]);
  EXPECT_THAT(axis.places(), ElementsAre(0, 1, 0, kNowhere));
  axis.Set(0, nullptr);
  EXPECT_THAT(axis.places(), ElementsAre(kNowhere, 1, 0, kNowhere));
}

TEST(Axis, AnEmptyValueIsAValue) {
  Axis axis("zone");
  axis.Resize(1);
  const Node node = InZone("");
  axis.Set(0, &node);
  EXPECT_THAT(axis.places(), ElementsAre(0));
}

TEST(Axis, TheNumberOfAValueThatNobodyHasIsUsedAgainForAnother) {
  Axis axis("zone");
  axis.Resize(3);
  const Node x = InZone("x");
  const Node y = InZone("y");
  axis.Set(0, &x);
  axis.Set(0, nullptr);
  axis.Set(1, &y);
  EXPECT_THAT(axis.places(), ElementsAre(kNowhere, 0, kNowhere));
  axis.Set(2, &x);  // another value by now
  EXPECT_THAT(axis.places(), ElementsAre(kNowhere, 0, 1));
}

TEST(Axis, ANodeThatChangesItsLabelMoves) {
  Axis axis("zone");
  axis.Resize(2);
  const Node x = InZone("x");
  const Node y = InZone("y");
  axis.Set(0, &x);
  axis.Set(1, &x);
  axis.Set(0, &y);
  EXPECT_THAT(axis.places(), ElementsAre(1, 0));
  axis.Set(0, &x);
  EXPECT_THAT(axis.places(), ElementsAre(0, 0));
}

}  // namespace
}  // namespace outrigger::plan
