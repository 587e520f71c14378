#include "cli/scheduler_config/unchecked.h"

#include "gmock/gmock.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

struct UncheckedRow {
  const char* name;
  const char* yaml;
  const char* text;
};

class Unchecked : public ::testing::TestWithParam<UncheckedRow> {};

TEST_P(Unchecked, IsWhatTheAgentHasToBeTold) {
  EXPECT_EQ(UncheckedText(ReadUnchecked(MapReader(YAML::Load(GetParam().yaml), {}))),
            GetParam().text);
}

const UncheckedRow kRows[] = {
    {"NothingByDefault", "{}", ""},
    {"ManagedButCompared",
     "extenders: [{managedResources: [{name: example.com/a}, {name: example.com/b, "
     "ignoredByScheduler: false}]}]",
     ""},
    {"ManagedAndIgnored",
     "extenders: [{managedResources: [{name: example.com/a, ignoredByScheduler: true}]}, "
     "{managedResources: [{name: example.com/b, ignoredByScheduler: true}]}]",
     "example.com/a,example.com/b"},
    {"ManagedInPlaceOfIgnored",
     "{extenders: [{managedResources: [{name: example.com/a, ignoredByScheduler: true}]}], "
     "profiles: "
     "[{pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: [example.com/b], "
     "ignoredResourceGroups: [example.net]}}]}]}",
     "example.com/a,example.net/*"},
    {"NothingThatStandsForCalls",
     "{extenders: [{managedResources: [{name: outrigger.dev/gang, ignoredByScheduler: true}]}], "
     "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: "
     "[example.com/b]}}]}]}",
     ""},
    {"OfOneProfileAlone",
     "profiles: [{schedulerName: a}, {schedulerName: b, pluginConfig: [{name: NodeResourcesFit, "
     "args: "
     "{ignoredResources: [example.com/b]}}]}]",
     "b:example.com/b"},
    {"OffByItsPoint", "profiles: [{plugins: {filter: {disabled: [{name: TaintToleration}]}}}]",
     "TaintToleration"},
    {"OffEverywhere", "profiles: [{plugins: {multiPoint: {disabled: [{name: NodeAffinity}]}}}]",
     "NodeAffinity"},
    {"OffEverywhereButOnAtItsPoint",
     "profiles: [{plugins: {multiPoint: {disabled: [{name: NodePorts}]}, filter: {enabled: [{name: "
     "NodePorts}]}}}]",
     ""},
    {"AllOffButSome",
     "profiles: [{plugins: {multiPoint: {disabled: [{name: '*'}], enabled: [{name: "
     "NodeUnschedulable}, {name: NodeResourcesFit}, {name: NodeAffinity}, {name: NodePorts}, "
     "{name: "
     "InterPodAffinity}]}}}]",
     "TaintToleration,PodTopologySpread"},
    {"WhatIsMalformedIsNotThere",
     "{extenders: 7, profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: "
     "{a: b}}}]}]}",
     ""},
};
INSTANTIATE_TEST_SUITE_P(Of, Unchecked, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

// Case 24 and its kind.
constexpr const char* kAdded =
    "profiles: [{schedulerName: default-scheduler}, {schedulerName: batch, pluginConfig: [{name: "
    "NodeAffinity, args: {addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "{nodeSelectorTerms: [TERMS]}, preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
    "preference: {matchExpressions: [{key: fast, operator: Exists}]}}]}}}]}]";

std::vector<UncheckedProfile> WithTerms(const std::string& terms) {
  std::string yaml = kAdded;
  yaml.replace(yaml.find("TERMS"), 5, terms);
  return ReadUnchecked(MapReader(YAML::Load(yaml), {}));
}

TEST(AddedAffinity, IsWhatItRequires) {
  const auto profiles = WithTerms(
      "{matchExpressions: [{key: pool, operator: In, values: [batch]}]}, {matchFields: [{key: "
      "metadata.name, operator: In, values: [n1]}]}");
  ASSERT_EQ(profiles.size(), 2U);
  EXPECT_EQ(profiles[0].unchecked.added_affinity, std::nullopt);
  const NodeSelector wanted{
      {{.match_expressions = {{"pool", SelectorOperator::kIn, {"batch"}}}, .match_fields = {}},
       {.match_expressions = {},
        .match_fields = {{"metadata.name", SelectorOperator::kIn, {"n1"}}}}}};
  EXPECT_EQ(profiles[1].unchecked.added_affinity, wanted);
}

TEST(AddedAffinity, ThatIsMalformedIsNotThere) {
  for (const char* terms : {"", "{matchExpressions: [{key: pool, operator: in, values: [a]}]}",
                            "{matchExpressions: [{key: pool, operator: In}]}"}) {
    EXPECT_EQ(WithTerms(terms)[1].unchecked.added_affinity, std::nullopt) << terms;
  }
}

TEST(UncheckedOfAProfile, NamesWhatHasNoEffect) {
  const auto profiles = ReadUnchecked(MapReader(
      YAML::Load("{extenders: [{managedResources: [{name: example.com/a, ignoredByScheduler: "
                 "true}]}], profiles: [{pluginConfig: [{name: NodeResourcesFit, args: "
                 "{ignoredResources: [example.com/a, example.com/b]}}]}]}"),
      {}));
  ASSERT_EQ(profiles.size(), 1U);
  ASSERT_EQ(profiles[0].without_effect.size(), 1U);
  EXPECT_EQ(profiles[0].without_effect[0].value, "example.com/b");
}

}  // namespace
}  // namespace outrigger::cli
