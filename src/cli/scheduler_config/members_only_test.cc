// `scheduler-config --members-only`: entries that are called about members of groups alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/doctor/doctor_testing.h"
#include "cli/scheduler_config/scheduler_config.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

using ::testing::Contains;
using testing::DoctorAgents;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

absl::StatusOr<SchedulerConfigText> Write(const std::string& agents, const std::string& in = "",
                                          bool members_only = true) {
  SchedulerConfigFlags flags;
  flags.agents = agents;
  flags.members_only = members_only;
  const auto plan = PlanSchedulerConfig(flags, DoctorAgents(), {});
  if (!plan.ok()) return plan.status();
  if (in.empty()) return WriteSchedulerConfig(*plan, std::nullopt);
  return WriteSchedulerConfig(*plan, SchedulerConfigInput{"in.yaml", in});
}

// Of each entry its first verb, httpTimeout and managedResources.
std::vector<std::string> EntriesOf(const absl::StatusOr<SchedulerConfigText>& text) {
  if (!text.ok()) return {std::string(text.status().message())};
  std::vector<std::string> entries;
  for (const auto& extender : YAML::Load(text->yaml)["extenders"]) {
    std::string entry = extender["filterVerb"] ? "filter" : "bind";
    entry += " " + extender["httpTimeout"].Scalar();
    for (const auto& managed : extender["managedResources"]) {
      entry += " " + managed["name"].Scalar() + " " + managed["ignoredByScheduler"].Scalar();
    }
    entries.push_back(entry);
  }
  return entries;
}

TEST(SchedulerConfigMembersOnly, ManagesANameOfItsOwnInEachEntry) {
  EXPECT_THAT(EntriesOf(Write("gang")), ElementsAre("filter 1s outrigger.dev/gang true",
                                                    "bind 10m30s outrigger.dev/gang-bind true"));
  EXPECT_THAT(EntriesOf(Write("gang", "", false)), ElementsAre("filter 1s", "bind 10m30s"));
}

TEST(SchedulerConfigMembersOnly, LeavesEntriesOfOthersAsTheyAre) {
  EXPECT_THAT(EntriesOf(Write("safe,gang")),
              ElementsAre("filter 1s", "filter 1s outrigger.dev/gang true",
                          "bind 10m30s outrigger.dev/gang-bind true"));
}

TEST(SchedulerConfigMembersOnly, SaysWhatGoesWithIt) {
  const auto text = Write("gang");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(text->notes,
              Contains(HasSubstr("gang is called only for pods that request outrigger.dev/gang and "
                                 "outrigger.dev/gang-bind: make members")));
  EXPECT_THAT(Write("gang", "", false)->notes, Not(Contains(HasSubstr("only about"))));
}

TEST(SchedulerConfigMembersOnly, ReplacesEntriesThatAreCalledAboutAllPodsAndBack) {
  const std::string before = Write("gang", "", false)->yaml;
  const auto after = Write("gang", before);
  EXPECT_THAT(EntriesOf(after), ElementsAre("filter 1s outrigger.dev/gang true",
                                            "bind 10m30s outrigger.dev/gang-bind true"));
  EXPECT_THAT(EntriesOf(Write("gang", after->yaml, false)),
              ElementsAre("filter 1s", "bind 10m30s"));
}

TEST(SchedulerConfigMembersOnly, SaysWhatLosesItsEffect) {
  const auto text = Write(
      "gang",
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n"
      "- pluginConfig:\n  - {name: NodeResourcesFit, args: {ignoredResources: [a.b/c]}}\n");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(text->notes,
              Contains("ignoredResources of profile default-scheduler: a.b/c: no effect next to "
                       "managedResources with ignoredByScheduler: add the name there, too"));
}

TEST(SchedulerConfigMembersOnly, IsRefusedForAgentsThatNeedCallsAboutAllPods) {
  EXPECT_THAT(Write("safe").status().message(), HasSubstr("--members-only: none of these agents"));
  EXPECT_THAT(Write("gang,qos").status().message(),
              HasSubstr("--members-only: gang and qos are called together, in one process, but "
                        "agent qos needs calls for all pods"));
  EXPECT_THAT(Write("gang,devices").status().message(), HasSubstr("agent devices needs"))
      << "it takes bind calls";
}

}  // namespace
}  // namespace outrigger::cli
