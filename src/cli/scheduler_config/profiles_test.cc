// What --scheduler-name does to the profiles of a file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/scheduler_config/scheduler_config.h"
#include "console/program_testing.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

using ::testing::HasSubstr;

const std::string kHead =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

struct ProfileRow {
  std::string name;
  std::string profiles;  // of the file
  std::string scheduler_name;
  std::string error;  // empty: the profiles stay as they are
  bool leader_elect_written;
};

class SchedulerConfigProfiles : public ::testing::TestWithParam<ProfileRow> {};

TEST_P(SchedulerConfigProfiles, AreNeverRenamed) {
  SchedulerConfigFlags flags;
  flags.agents = "safe";
  flags.full_nodes = true;
  flags.scheduler_name = GetParam().scheduler_name;
  const auto plan = PlanSchedulerConfig(flags, testing::TestAgents(), {});
  ASSERT_TRUE(plan.ok()) << plan.status();
  const std::string file = kHead + GetParam().profiles;
  const auto text = WriteSchedulerConfig(*plan, SchedulerConfigInput{"in.yaml", file});
  EXPECT_THAT(std::string(text.status().message()), HasSubstr(GetParam().error));
  ASSERT_EQ(text.ok(), GetParam().error.empty()) << text.status();
  if (!text.ok()) return;
  const YAML::Node root = YAML::Load(text->yaml);
  EXPECT_EQ(YAML::Dump(root["profiles"]), YAML::Dump(YAML::Load(file)["profiles"]));
  EXPECT_EQ(root["leaderElection"].IsDefined(), GetParam().leader_elect_written);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, SchedulerConfigProfiles,
    ::testing::Values(
        ProfileRow{"OneOfSeveral", "profiles:\n- schedulerName: one\n- schedulerName: two\n", "two",
                   "", true},
        ProfileRow{"NoneOfSeveral", "profiles: [{schedulerName: one}, {schedulerName: two}]",
                   "three",
                   "in.yaml:3:11: profiles: none is named three (found: one and two); add `- "
                   "schedulerName: three` to the file's profiles",
                   false},
        ProfileRow{"NotTheOnlyOne", "profiles: [{schedulerName: one}]", "two",
                   "none is named two (found: one)", false},
        ProfileRow{"NotTheDefault", "profiles: [{schedulerName: default-scheduler}]", "two",
                   "none is named two (found: default-scheduler)", false},
        ProfileRow{"NotTheNamelessOne", "profiles: [{percentageOfNodesToScore: 5}]", "two",
                   "none is named two (found: default-scheduler)", false},
        ProfileRow{"NoProfilesAreTheDefault", "profiles: []", "two",
                   "none is named two (found: default-scheduler)", false},
        ProfileRow{"NoProfilesAtAll", "parallelism: 3", "two",
                   "in.yaml:1:1: profiles: none is named two (found: default-scheduler)", false},
        ProfileRow{"BesideTheDefault",
                   "profiles:\n- schedulerName: default-scheduler\n- schedulerName: two\n", "two",
                   "", false}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::cli
