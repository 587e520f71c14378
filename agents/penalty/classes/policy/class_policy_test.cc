#include "penalty/classes/class_policy.h"

#include <functional>
#include <ostream>
#include <string>

#include "fmt/format.h"
#include "gmock/gmock.h"

namespace outrigger::penalty {
namespace {

using ::testing::HasSubstr;

PriorityClass GoldClass() {
  PriorityClass gold;
  gold.name = "gold";
  gold.value = 1000;
  gold.labels = {{"team", "research"}};
  return gold;
}

std::optional<LabelSelector> Selector(const std::string& text) {
  LabelSelector selector;
  EXPECT_TRUE(ParseLabelSelector(text, &selector).ok());
  return selector;
}

struct SelectionRow {
  std::string name;
  std::function<void(PriorityClass*)> change;
  std::string selector;  // "-": none
  Selection selection;
};
std::ostream& operator<<(std::ostream& out, const SelectionRow& row) {
  return out << row.name;
}

class SelectionTest : public ::testing::TestWithParam<SelectionRow> {};

TEST_P(SelectionTest, IsAsTheTableHasIt) {
  const SelectionRow& row = GetParam();
  PriorityClass gold = GoldClass();
  row.change(&gold);
  EXPECT_EQ(SelectionOf(gold, row.selector == "-" ? std::nullopt : Selector(row.selector)),
            row.selection);
}

INSTANTIATE_TEST_SUITE_P(
    Table, SelectionTest,
    ::testing::ValuesIn(std::vector<SelectionRow>{
        {"Selected", [](PriorityClass*) {}, "team=research", Selection::kSelected},
        {"OtherLabels", [](PriorityClass*) {}, "team=web", Selection::kNotSelected},
        {"NoSelector", [](PriorityClass*) {}, "-", Selection::kNotSelected},
        {"EmptySelector", [](PriorityClass*) {}, "", Selection::kSelected},
        {"System", [](PriorityClass* c) { c->name = "system-node-critical"; }, "team",
         Selection::kSystem},
        {"GlobalDefault", [](PriorityClass* c) { c->global_default = true; }, "team",
         Selection::kGlobalDefault},
        {"Ignored", [](PriorityClass* c) { c->annotations.Set("outrigger.dev/penalty", "ignore"); },
         "team", Selection::kIgnored},
        {"AnotherWordIsNotIgnore",
         [](PriorityClass* c) { c->annotations.Set("outrigger.dev/penalty", "on"); }, "team",
         Selection::kSelected},
    }),
    ::testing::PrintToStringParamName());

TEST(ClassPolicyTest, AnnotationsAreOverTheDefaults) {
  Policy defaults;
  defaults.grace = 7'000;
  PriorityClass gold = GoldClass();
  gold.annotations = {{"outrigger.dev/penalty-half-life", "60"},
                      {"outrigger.dev/penalty-start", "flat 20"},
                      {"outrigger.dev/penalty-managed", "allow"},
                      {"outrigger.dev/penalty-counted", "1 started"}};
  Policy expected = defaults;
  expected.recovery.half_life = 60'000;
  expected.start = {Increment::Kind::kFlat, 20};
  const absl::StatusOr<Policy> policy = PolicyOf(gold, defaults);
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_EQ(*policy, expected);
  EXPECT_EQ(*PolicyOf(GoldClass(), defaults), defaults);
}

TEST(ClassPolicyTest, AMalformedAnnotationIsNamed) {
  for (const auto& [setting, value, message] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"half-life", "0", "annotation outrigger.dev/penalty-half-life: 0 s is not accepted"},
           {"half-life", "1h",
            "annotation outrigger.dev/penalty-half-life: \"1h\" is not accepted"},
           {"ceiling", "1000000001", "annotation outrigger.dev/penalty-ceiling: 1000000001"},
           {"allow-crossing", "yes", "annotation outrigger.dev/penalty-allow-crossing: \"yes\""}}) {
    PriorityClass gold = GoldClass();
    gold.annotations.Set(fmt::format("outrigger.dev/penalty-{}", setting), value);
    EXPECT_THAT(std::string(PolicyOf(gold, Policy()).status().message()), HasSubstr(message));
  }
}

}  // namespace
}  // namespace outrigger::penalty
