#include "outrigger/k8s/selector.h"

#include <string>
#include <vector>

#include "builders.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger {
namespace {

using ::testing::HasSubstr;
using testing::MakeNode;

const StringMap kLabels = {{"zone", "a"}, {"gpu", "8"}};

struct MatchRow {
  const char* name;
  SelectorRequirement requirement;
  bool matches;
};

const MatchRow kMatchRows[] = {
    {"InListed", {"zone", SelectorOperator::kIn, {"b", "a"}}, true},
    {"InNotListed", {"zone", SelectorOperator::kIn, {"b"}}, false},
    {"InAbsentKey", {"rack", SelectorOperator::kIn, {""}}, false},
    {"NotInListed", {"zone", SelectorOperator::kNotIn, {"a"}}, false},
    {"NotInAbsentKey", {"rack", SelectorOperator::kNotIn, {"a"}}, true},
    {"Exists", {"zone", SelectorOperator::kExists, {}}, true},
    {"DoesNotExist", {"zone", SelectorOperator::kDoesNotExist, {}}, false},
    {"DoesNotExistAbsentKey", {"rack", SelectorOperator::kDoesNotExist, {}}, true},
    {"GtComparesNumbersNotTexts", {"gpu", SelectorOperator::kGt, {"07"}}, true},
    {"GtIsStrict", {"gpu", SelectorOperator::kGt, {"8"}}, false},
    {"Lt", {"gpu", SelectorOperator::kLt, {"10"}}, true},
    {"GtOfNoNumber", {"zone", SelectorOperator::kGt, {"0"}}, false},
    {"GtPastInt64", {"gpu", SelectorOperator::kLt, {"9223372036854775808"}}, false},
};

TEST(SelectorRequirement, Matches) {
  for (const MatchRow& row : kMatchRows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(row.requirement.Matches(kLabels), row.matches);
  }
}

TEST(SelectorRequirement, ValidateNamesKeyAndWhatIsAccepted) {
  const SelectorRequirement none = {"zone", SelectorOperator::kIn, {}};
  EXPECT_EQ(none.Validate().message(),
            "selector requirement \"zone\": In and NotIn need one or more values");
  const SelectorRequirement number = {"zone", SelectorOperator::kGt, {"x"}};
  EXPECT_THAT(std::string(number.Validate().message()), HasSubstr("need one integer"));
  const SelectorRequirement key = {"a/b/c", SelectorOperator::kExists, {}};
  EXPECT_EQ(key.Validate().code(), absl::StatusCode::kInvalidArgument);
}

TEST(SelectorRequirement, OperatorsHaveKubernetesNames) {
  SelectorOperator op = SelectorOperator::kIn;
  ASSERT_TRUE(ParseSelectorOperator("DoesNotExist", &op).ok());
  EXPECT_EQ(op, SelectorOperator::kDoesNotExist);
  EXPECT_EQ(ParseSelectorOperator("exists", &op).message(),
            "selector operator \"exists\": expected In, NotIn, Exists, DoesNotExist, Gt or Lt");
}

TEST(LabelSelector, EmptyMatchesEverythingInvalidNothing) {
  EXPECT_TRUE(LabelSelector().Matches({}));
  const LabelSelector invalid = {{}, {{"rack", SelectorOperator::kNotIn, {}}}};
  EXPECT_FALSE(invalid.Matches(kLabels));
}

TEST(NodeSelector, EmptySelectorAndEmptyTermMatchNoNode) {
  const Node node = MakeNode("n");
  EXPECT_FALSE(NodeSelector().Matches(node));
  EXPECT_FALSE((NodeSelector{{NodeSelectorTerm()}}.Matches(node)));
}

TEST(NodeSelector, InvalidTermDoesNotSpoilTheOthers) {
  const NodeSelectorTerm invalid = {{{"zone", SelectorOperator::kGt, {"x"}}}, {}};
  const NodeSelectorTerm good = {{{"zone", SelectorOperator::kExists, {}}}, {}};
  const Node node = MakeNode("n").Label("zone", "a");
  EXPECT_TRUE((NodeSelector{{invalid, good}}.Matches(node)));
  EXPECT_FALSE((NodeSelector{{invalid}}.Matches(node)));
}

TEST(NodeSelector, FieldsKnowTheNameOfTheNode) {
  const NodeSelectorTerm named = {{}, {{"metadata.name", SelectorOperator::kIn, {"n1"}}}};
  EXPECT_TRUE(named.Matches(MakeNode("n1")));
  EXPECT_FALSE(named.Matches(MakeNode("n2")));
}

TEST(MatchesNodeSelectorAndAffinity, WantsBoth) {
  Pod pod;
  EXPECT_TRUE(MatchesNodeSelectorAndAffinity(pod, MakeNode("n1")));
  pod.node_selector = {{"zone", "a"}};
  pod.affinity.required_node = {{{{{"gpu", SelectorOperator::kExists, {}}}, {}}}};
  EXPECT_FALSE(MatchesNodeSelectorAndAffinity(pod, MakeNode("n1").Label("zone", "a")));
  EXPECT_FALSE(MatchesNodeSelectorAndAffinity(pod, MakeNode("n1").Label("gpu", "1")));
  EXPECT_TRUE(
      MatchesNodeSelectorAndAffinity(pod, MakeNode("n1").Label("zone", "a").Label("gpu", "1")));
}

TEST(ParseLabelSelector, ErrorNamesThePartThatIsOff) {
  const struct {
    const char* text;
    const char* message;
  } rows[] = {
      {"a,", "label selector: expected a key or '!', found its end"},
      {"a b", "label selector: expected one of = == != in notin > <, found \"b\""},
      {"a in b", "label selector: expected '(', found \"b\""},
      {"a in (b", "label selector: expected ',' or ')', found its end"},
      {"a=b c", "label selector: expected ',' or the end, found \"c\""},
      {"a>x", "selector requirement \"a\": Gt and Lt need one integer"},
  };
  for (const auto& row : rows) {
    LabelSelector selector = {{{"kept", ""}}, {}};
    EXPECT_EQ(ParseLabelSelector(row.text, &selector).message(), row.message);
    EXPECT_TRUE(selector.match_labels.Contains("kept"));
  }
}

}  // namespace
}  // namespace outrigger
