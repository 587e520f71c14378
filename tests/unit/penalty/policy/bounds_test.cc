#include "outrigger/penalty/bounds.h"

#include <optional>
#include <ostream>
#include <string>

#include "gmock/gmock.h"
#include "rapidcheck.h"

namespace outrigger::penalty {
namespace {

using ::testing::HasSubstr;

struct FloorRow {
  std::string name;
  int64_t base;
  std::vector<int64_t> others;
  std::optional<int64_t> setting;
  bool allow_crossing;
  std::optional<int64_t> floor;
  std::string refusal = {};
};
std::ostream& operator<<(std::ostream& out, const FloorRow& row) {
  return out << row.name;
}

class FloorTest : public ::testing::TestWithParam<FloorRow> {};

TEST_P(FloorTest, IsAsTheTableHasIt) {
  const FloorRow& row = GetParam();
  Policy policy;
  policy.floor = row.setting;
  policy.allow_crossing = row.allow_crossing;
  const absl::StatusOr<int64_t> floor = FloorOf(policy, row.base, row.others);
  if (row.floor) {
    ASSERT_TRUE(floor.ok()) << floor.status();
    EXPECT_EQ(*floor, *row.floor);
  } else {
    EXPECT_EQ(floor.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(floor.status().message()), HasSubstr(row.refusal));
  }
}

INSTANTIATE_TEST_SUITE_P(Table, FloorTest,
                         ::testing::ValuesIn(std::vector<FloorRow>{
                             {"AboveTheNextLower", 1000, {500, 800, 2000}, {}, false, 801},
                             {"AboveTheCliffOfKai", 1000, {50}, {}, false, 100},
                             {"AClassOfTheSameBaseIsNotLower", 1000, {1000, 300}, {}, false, 301},
                             {"Alone", 1000, {}, {}, false, 100},
                             {"OnACliff", 5000, {4000}, {}, false, 5000},
                             {"InKoordinatorsBand", 5500, {}, {}, false, 5000},
                             {"AboveKoordinatorsBand", 6200, {}, {}, false, 6000},
                             {"InTheUpperBand", 9999, {}, {}, false, 9000},
                             {"AboveAllBands", 20'000, {}, {}, false, 10'000},
                             {"BelowKai", 99, {}, {}, false, -10},
                             {"ExpendableAlready", -11, {}, {}, false, kLowestValue},
                             {"Set", 1000, {500}, 700, false, 700},
                             {"SetToTheLastThatDoesNotCross", 1000, {500}, 501, false, 501},
                             {"SetToBase", 1000, {500}, 1000, false, 1000},
                             {"CrossesAClass",
                              1000,
                              {500},
                              500,
                              false,
                              {},
                              "floor: 500 is not accepted: at least 501, or allow-crossing"},
                             {"CrossesACliff", 1000, {}, 99, false, {}, "at least 100"},
                             {"CrossesAsAllowed", 1000, {500}, -20, true, -20},
                             {"AllowingIsNoFloor", 1000, {500}, {}, true, 501},
                             {"AboveBase",
                              1000,
                              {},
                              1001,
                              true,
                              {},
                              "floor: 1001 is not accepted: at most the class's base, 1000"},
                         }),
                         ::testing::PrintToStringParamName());

TEST(BoundsTest, TheTopIsTheLowerOfBaseAndCeiling) {
  Policy policy;
  EXPECT_EQ(*BoundsOf(policy, 1000, {800}),
            (Bounds{.base = 1000, .floor = 801, .top = 1000, .quantum = 50}));
  policy.ceiling = 900;
  EXPECT_EQ(BoundsOf(policy, 1000, {800})->top, 900);
  policy.ceiling = 5000;
  EXPECT_EQ(BoundsOf(policy, 1000, {800})->top, 1000);
}

TEST(BoundsTest, NonsenseIsRefused) {
  Policy policy;
  policy.ceiling = 800;
  EXPECT_THAT(std::string(BoundsOf(policy, 1000, {800}).status().message()),
              HasSubstr("ceiling: 800 is not accepted: at least the class's floor, 801"));
  EXPECT_FALSE(BoundsOf(Policy(), kHighestValue + 1, {}).ok());
  EXPECT_FALSE(BoundsOf(Policy(), 2'000'000'000, {}).ok());  // a system class
}

TEST(BoundsTest, TheFloorOfItselfCrossesNothing) {
  EXPECT_TRUE(rc::check("no class and no cliff between floor and base", [] {
    const auto value = rc::gen::inRange<int64_t>(-30, 12'000);
    const int64_t base = *value;
    const auto others = *rc::gen::container<std::vector<int64_t>>(value);
    const absl::StatusOr<int64_t> floor = FloorOf(Policy(), base, others);
    RC_ASSERT(floor.ok());
    RC_ASSERT(*floor <= base);
    for (const int64_t other : others) RC_ASSERT(other >= base || other < *floor);
    // From any value above floor to it, no cliff is left: value >= c stays so.
    for (const int64_t cliff : kCliffs) RC_ASSERT(base < cliff || *floor >= cliff);
    // And one lower would cross something, unless nothing is there.
    Policy lower;
    lower.floor = *floor - 1;
    RC_ASSERT(*floor == kLowestValue || !FloorOf(lower, base, others).ok());
  }));
}

}  // namespace
}  // namespace outrigger::penalty
