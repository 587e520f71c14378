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
