#include "apiserver/select/selector.h"
#include "apiserver/select/label_selector.h"

#include "gtest/gtest.h"

namespace outrigger::apiserver {
namespace {

const Json& APod() {
  static const Json* const pod = new Json(Json::parse(R"({
      "metadata": {"name": "p", "namespace": "n", "labels": {"app": "web", "tier": "1"}},
      "spec": {"nodeName": "a", "hostNetwork": true},
      "status": {"phase": "Running", "podIPs": [{"ip": "10.0.0.1"}, {"ip": "::1"}]}})"));
  return *pod;
}

bool Matches(const Selector& selector, const Json& object, std::string_view kind,
             const std::vector<std::string>* more) {
  return selector.MatchesLabels(LabelsOf(object)) &&
         selector.MatchesFields(FieldOf(object, "metadata.name"),
                                FieldOf(object, "metadata.namespace"),
                                SelectableFields("", kind, more, object));
}

struct SelectorRow {
  const char* name;
  const char* labels;
  const char* fields;
  bool matches;
};

void PrintTo(const SelectorRow& row, std::ostream* out) {
  *out << row.name;
}

class SelectorOfPods : public ::testing::TestWithParam<SelectorRow> {};

TEST_P(SelectorOfPods, Matches) {
  Selector selector;
  const auto failure =
      Selector::Parse(GetParam().labels, GetParam().fields, "", "Pod", nullptr, &selector);
  ASSERT_FALSE(failure) << failure->message;
  EXPECT_EQ(Matches(selector, APod(), "Pod", nullptr), GetParam().matches);
}

INSTANTIATE_TEST_SUITE_P(
    All, SelectorOfPods,
    ::testing::Values(SelectorRow{"nothing", "", "", true}, SelectorRow{"comma", " ", ",", true},
                      SelectorRow{"label", "app=web", "", true},
                      SelectorRow{"other_label", "app!=web", "", false},
                      SelectorRow{"label_set", "app in (web, db),!none", "", true},
                      SelectorRow{"name", "", "metadata.name=p", true},
                      SelectorRow{"two_signs", "", "metadata.name==p", true},
                      SelectorRow{"two_names", "", "metadata.name=p,metadata.name=q", false},
                      SelectorRow{"node", "", "spec.nodeName!=a", false},
                      SelectorRow{"empty_value", "", "spec.schedulerName=", true},
                      SelectorRow{"bool", "", "spec.hostNetwork=true", true},
                      SelectorRow{"address", "", "status.podIP=10.0.0.1", true},
                      SelectorRow{"both", "tier=1", "status.phase!=Failed", true}),
    ::testing::PrintToStringParamName());

struct RefusedSelector {
  const char* name;
  const char* group;
  const char* kind;
  const char* fields;
  const char* message;
};

void PrintTo(const RefusedSelector& row, std::ostream* out) {
  *out << row.name;
}

class RefusedSelectors : public ::testing::TestWithParam<RefusedSelector> {};

TEST_P(RefusedSelectors, SayWhatTheServerSays) {
  const RefusedSelector& row = GetParam();
  Selector selector;
  const auto failure = Selector::Parse("", row.fields, row.group, row.kind, nullptr, &selector);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, 400);
  EXPECT_EQ(failure->message, row.message);
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedSelectors,
    ::testing::Values(
        RefusedSelector{"pod", "", "Pod", "a=b", "field label not supported: a"},
        RefusedSelector{"no_key", "", "Pod", "=x", "field label not supported: "},
        RefusedSelector{"others", "apps", "Deployment", "a=b", "field label not supported: a"},
        RefusedSelector{"no_sign", "", "Pod", "metadata.name",
                        "invalid selector: 'metadata.name'; can't understand 'metadata.name'"},
        RefusedSelector{"set", "", "Pod", "metadata.name in (x)",
                        "invalid selector: 'metadata.name in (x)'; can't understand "
                        "'metadata.name in (x)'"},
        RefusedSelector{
            "escape", "", "Pod", R"(metadata.name=a\b)",
            R"(invalid field selector: 'metadata.name=a\b': values with '=' or '\' are not served)"}),
    ::testing::PrintToStringParamName());

TEST(Selector, MalformedLabelsAreRefused) {
  Selector selector;
  const auto failure = Selector::Parse("a=b=c", "", "", "Pod", nullptr, &selector);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, 400);
  EXPECT_TRUE(failure->message.starts_with("unable to parse requirement: ")) << failure->message;
}

TEST(Selector, CustomResourcesOfferTheirOwnFields) {
  const std::vector<std::string> fields = {"spec.color"};
  Selector selector;
  EXPECT_FALSE(Selector::Parse("", "spec.color=red", "example.com", "Car", &fields, &selector));
  EXPECT_TRUE(Matches(selector, {{"spec", {{"color", "red"}}}}, "Car", &fields));
  EXPECT_FALSE(Matches(selector, {{"spec", {{"color", "blue"}}}}, "Car", &fields));
  const auto failure = Selector::Parse("", "spec.size=1", "example.com", "Car", &fields, &selector);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message, "field label not supported: spec.size");
}

TEST(FieldOf, HasTheValuesThatGoPrints) {
  EXPECT_EQ(FieldOf(Json::object(), "spec.unschedulable"), "false");
  EXPECT_EQ(FieldOf({{"status", {{"succeeded", 3}}}}, "status.successful"), "3");
  EXPECT_EQ(FieldOf({{"reportingComponent", "c"}}, "source"), "c");
  EXPECT_EQ(FieldOf({{"source", {{"component", "s"}}}}, "source"), "s");
  EXPECT_EQ(FieldOf({{"metadata", {{"name", "x"}}}}, "metadata.name"), "x");
}

}  // namespace
}  // namespace outrigger::apiserver
