#include "penalty/classes/bounds.h"

#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "rapidcheck.h"

namespace outrigger::penalty {
namespace {

using ::testing::HasSubstr;

using Classes = std::vector<std::pair<std::string, int64_t>>;

Barriers BarriersOf(const Classes& classes) {
  Barriers barriers;
  for (const auto& [name, base] : classes) barriers.Add(name, base);
  return barriers;
}

struct FloorRow {
  std::string name;
  int64_t base;
  Classes others;
  std::optional<int64_t> setting;
  bool allow_crossing;
  std::optional<int64_t> floor;
  std::string of_or_refusal;
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
  const absl::StatusOr<Floor> floor = FloorOf(policy, row.base, BarriersOf(row.others));
  if (row.floor) {
    ASSERT_TRUE(floor.ok()) << floor.status();
    EXPECT_EQ(floor->value, *row.floor);
    EXPECT_EQ(floor->of, row.of_or_refusal);
  } else {
    EXPECT_EQ(floor.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(floor.status().message()), HasSubstr(row.of_or_refusal));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, FloorTest,
    ::testing::ValuesIn(std::vector<FloorRow>{
        {"AboveTheNextLower",
         1000,
         {{"b", 500}, {"c", 800}, {"d", 2000}},
         {},
         false,
         801,
         "class c"},
        {"AClassOfTheSameBaseIsNotLower",
         1000,
         {{"a", 1000}, {"b", 300}},
         {},
         false,
         301,
         "class b"},
        {"Alone", 1000, {{"a", 1000}}, {}, false, -10, "Cluster Autoscaler"},
        {"BelowAutoscaler", -11, {}, {}, false, kLowestValue, ""},
        {"HighPriorityOfTheOriginal",
         10001,
         {{"h-priority", 1000}},
         {},
         false,
         1001,
         "class h-priority"},
        {"TheNextValue", 1001, {{"h-priority", 1000}}, {}, false, 1001, "class h-priority"},
        {"TenThousandWithoutKoordinator", 10000, {}, {}, false, -10, "Cluster Autoscaler"},
        {"TenThousandWithKoordinator",
         10000,
         {{"koord-free", 3999}},
         {},
         false,
         10000,
         "Koordinator"},
        {"AboveKoordinator", 10001, {{"koord-prod", 9999}}, {}, false, 10000, "class koord-prod"},
        {"InKoordinatorsBand", 5500, {{"koord-prod", 9999}}, {}, false, 5000, "Koordinator"},
        {"InTheMiddleBand", 7500, {{"koord-batch", 5999}}, {}, false, 7000, "Koordinator"},
        {"BetweenBands", 6200, {{"koord-mid", 7999}}, {}, false, 6000, "Koordinator"},
        {"AClassIsNearerThanABand",
         6200,
         {{"koord-mid", 7999}, {"b", 6100}},
         {},
         false,
         6101,
         "class b"},
        {"KoordinatorsOwnClassWithAnotherValue",
         5500,
         {{"koord-prod", 8888}},
         {},
         false,
         5000,
         "Koordinator"},
        {"AboveKai", 90000, {{"a", 90000}}, {}, false, -10, "Cluster Autoscaler"},
        {"WithKai", 110, {{"build-preemptible", 75}}, {}, false, 100, "KAI"},
        {"KaisOwnClasses",
         100,
         {{"train", 50}, {"build", 100}, {"inference", 125}},
         {},
         false,
         100,
         "KAI"},
        {"ATrainThatIsNotKais", 1000, {{"train", 30}}, {}, false, 31, "class train"},
        {"BelowKai", 75, {{"inference", 125}}, {}, false, -10, "Cluster Autoscaler"},
        {"Set", 1000, {{"b", 500}}, 700, false, 700, "setting floor"},
        {"SetToTheLastThatDoesNotCross", 1000, {{"b", 500}}, 501, false, 501, "setting floor"},
        {"SetToBase", 1000, {{"b", 500}}, 1000, false, 1000, "setting floor"},
        {"CrossesAClass",
         1000,
         {{"b", 500}},
         500,
         false,
         {},
         "floor: 500 is not accepted; expected at least 501, or set allow-crossing: a lower value "
         "crosses that of class b"},
        {"CrossesAutoscaler", 1000, {}, -11, false, {}, "at least -10"},
        {"CrossesAsAllowed", 1000, {{"b", 500}}, -20, true, -20, "setting floor"},
        {"AllowingIsNoFloor", 1000, {{"b", 500}}, {}, true, 501, "class b"},
        {"AboveBase",
         1000,
         {},
         1001,
         true,
         {},
         "floor: 1001 is not accepted; expected at most the class's base, 1000"},
    }),
    ::testing::PrintToStringParamName());

TEST(BoundsTest, TheTopIsTheLowerOfBaseAndCeiling) {
  Policy policy;
  EXPECT_EQ(*BoundsOf(policy, 1000, {801, ""}),
            (Bounds{.base = 1000, .floor = 801, .top = 1000, .quantum = 50}));
  policy.ceiling = 900;
  EXPECT_EQ(BoundsOf(policy, 1000, {801, ""})->top, 900);
  policy.ceiling = 5000;
  EXPECT_EQ(BoundsOf(policy, 1000, {801, ""})->top, 1000);
}

TEST(BoundsTest, NonsenseIsRefused) {
  Policy policy;
  policy.ceiling = 800;
  EXPECT_THAT(std::string(BoundsOf(policy, 1000, {801, ""}).status().message()),
              HasSubstr("ceiling: 800 is not accepted; expected at least the class's floor, 801"));
  EXPECT_FALSE(BoundsOf(Policy(), kHighestValue + 1, Floor()).ok());
  EXPECT_FALSE(BoundsOf(Policy(), 2'000'000'000, Floor()).ok());  // a system class
}

TEST(BoundsTest, TheFloorOfItselfCrossesNothing) {
  EXPECT_TRUE(rc::check("no class between floor and base", [] {
    const auto value = rc::gen::inRange<int64_t>(-30, 12'000);
    const int64_t base = *value;
    const auto others = *rc::gen::container<std::vector<int64_t>>(value);
    Barriers barriers;
    for (const int64_t other : others) barriers.Add(std::to_string(other), other);
    const absl::StatusOr<Floor> floor = FloorOf(Policy(), base, barriers);
    RC_ASSERT(floor.ok());
    RC_ASSERT(floor->value <= base);
    for (const int64_t other : others) RC_ASSERT(other >= base || other < floor->value);
    // And one lower would cross something, unless nothing is there.
    Policy lower;
    lower.floor = floor->value - 1;
    RC_ASSERT(floor->value == kLowestValue || !FloorOf(lower, base, barriers).ok());
  }));
}

struct RoomRow {
  std::string name;
  int64_t base;
  int64_t floor;
  std::string start;
  std::string problem;  // a part of it; empty: none
};
std::ostream& operator<<(std::ostream& out, const RoomRow& row) {
  return out << row.name;
}

class RoomTest : public ::testing::TestWithParam<RoomRow> {};

TEST_P(RoomTest, IsAsTheTableHasIt) {
  const RoomRow& row = GetParam();
  Policy policy;
  ASSERT_TRUE(policy.Set("start", row.start).ok());
  const Floor floor = {row.floor, "class b"};
  const std::string problem = RoomProblem(policy, *BoundsOf(policy, row.base, floor), floor);
  EXPECT_EQ(problem.empty(), row.problem.empty()) << problem;
  EXPECT_THAT(problem, HasSubstr(row.problem));
}

INSTANTIATE_TEST_SUITE_P(
    Table, RoomTest,
    ::testing::ValuesIn(std::vector<RoomRow>{
        {"None", 1001, 1001, "multiplicative 0.1", "only to 1001, by at most 0 points"},
        {"LessThanAQuantum", 1000, 951, "multiplicative 0.1", "class b sets the floor"},
        {"AQuantum", 1000, 950, "multiplicative 0.1", ""},
        {"LessThanAStart", 1000, 801, "flat 200", "by at most 199 points"},
        {"AStart", 1000, 800, "flat 200", ""},
        {"OfASmallBase", 5, 3, "multiplicative 0.1", ""},
    }),
    ::testing::PrintToStringParamName());

}  // namespace
}  // namespace outrigger::penalty
