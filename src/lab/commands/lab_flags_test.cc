// The command line of `outrigger lab`, and what a run says that cannot begin.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "console/args/command_line.h"
#include "console/program_testing.h"
#include "lab/commands/lab.h"

namespace outrigger::cli {
namespace {

using ::testing::HasSubstr;
using testing::Ran;
using testing::RunProgram;
using ::testing::StartsWith;
using Arguments = std::vector<std::string>;

LabFlags FlagsOf(Arguments arguments) {
  arguments.insert(arguments.begin(), {"lab", "scheduler"});
  CommandLine line(LabCommands());
  const auto parsed = line.Parse(arguments);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  const auto flags = ReadLabFlags(parsed->given);
  EXPECT_TRUE(flags.ok()) << flags.status();
  return *flags;
}

TEST(LabFlags, HaveDefaults) {
  const LabFlags flags = FlagsOf({});
  EXPECT_EQ(flags.step, 7);
  EXPECT_EQ(flags.scheduler_name, "default-scheduler");
  EXPECT_EQ(flags.queue_sort, "arrival");
  EXPECT_EQ(flags.seed, std::nullopt);
  EXPECT_EQ(flags.qps, 50);
  EXPECT_FALSE(flags.verbose);
}

TEST(LabFlags, AreRead) {
  const LabFlags flags =
      FlagsOf({"--step=1", "--kubeconfig=k", "--context=c", "--scheduler-name=my.own",
               "--queue-sort=riya", "--seed=18446744073709551615", "--qps=0", "--verbose"});
  EXPECT_EQ(flags.step, 1);
  EXPECT_EQ(flags.kubeconfig + flags.context, "kc");
  EXPECT_EQ(flags.scheduler_name, "my.own");
  EXPECT_EQ(flags.queue_sort, "riya");
  EXPECT_EQ(flags.seed, 18446744073709551615U);
  EXPECT_EQ(flags.qps, 0);
  EXPECT_TRUE(flags.verbose);
}

struct Row {
  const char* name;
  Arguments arguments;
  const char* error;
};

class WrongLab : public ::testing::TestWithParam<Row> {};

TEST_P(WrongLab, NamesFlagValueAndWhatIsAccepted) {
  const Ran ran = RunProgram(GetParam().arguments);
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err, std::string("outrigger: ") + GetParam().error + "\n");
  EXPECT_EQ(ran.out, "");
}

INSTANTIATE_TEST_SUITE_P(
    Rows, WrongLab,
    ::testing::Values(
        Row{"Nothing",
            {"lab"},
            "lab needs a subcommand: scheduler, nodes, apiserver, load or save; see `outrigger lab "
            "--help`"},
        Row{"Step0",
            {"lab", "scheduler", "--step=0"},
            "--step: \"0\" is not accepted; expected 1 to 7"},
        Row{"Step8",
            {"lab", "scheduler", "--step=8"},
            "--step: \"8\" is not accepted; expected 1 to 7"},
        Row{"StepX",
            {"lab", "scheduler", "--step", "x"},
            "--step: \"x\" is not accepted; expected 1 to 7"},
        Row{"StepHuge",
            {"lab", "scheduler", "--step=4294967299"},
            "--step: \"4294967299\" is not accepted; expected 1 to 7"},
        Row{"Seed",
            {"lab", "scheduler", "--seed=-1"},
            "--seed: \"-1\" is not accepted; expected 0 to 18446744073709551615"},
        Row{"Qps",
            {"lab", "scheduler", "--qps=-1"},
            "--qps: \"-1\" is not accepted; expected 0 (no limit) to 100000"},
        Row{"QpsNan",
            {"lab", "scheduler", "--qps=nan"},
            "--qps: \"nan\" is not accepted; expected 0 (no limit) to 100000"},
        Row{"SchedulerName",
            {"lab", "scheduler", "--scheduler-name="},
            "--scheduler-name: \"\" is not accepted; expected a DNS subdomain name, as a pod's "
            "spec.schedulerName"},
        Row{"QueueSort",
            {"lab", "scheduler", "--queue-sort=rya"},
            "--queue-sort: \"rya\" is not accepted; expected arrival or riya; did you mean riya?"},
        Row{"Color",
            {"lab", "scheduler", "--color=red"},
            "--color: \"red\" is not accepted; expected auto, always or never"}),
    [](const auto& row) { return row.param.name; });

struct NodesRow {
  const char* name;
  Arguments arguments;
  const char* error;
};
class WrongLabNodes : public ::testing::TestWithParam<NodesRow> {};

TEST_P(WrongLabNodes, AreRefusedBeforeAnyCall) {
  Arguments arguments = {"lab", "nodes"};
  arguments.insert(arguments.end(), GetParam().arguments.begin(), GetParam().arguments.end());
  const Ran ran = RunProgram(arguments);
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, WrongLabNodes,
    ::testing::Values(NodesRow{"None", {}, "--nodes is missing"},
                      NodesRow{"Zero", {"--nodes=0"}, "--nodes: \"0\" is not accepted"},
                      NodesRow{"Gpu",
                               {"--nodes=5", "--nodes", "3,gpu=8"},
                               "--nodes: \"gpu=8\" is not accepted; expected COUNT, then any of "},
                      NodesRow{"TooMany",
                               {"--nodes=20000", "--nodes=1"},
                               "--nodes: 20001 nodes are not accepted; expected 1 to 20000"}),
    [](const auto& row) { return row.param.name; });

TEST(LabNodes, WantAWayToTheCluster) {
  const Ran ran = RunProgram({"lab", "nodes", "--nodes=1"}, {{"HOME", "/nonexistent"}});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("give --kubeconfig FILE"));
}

TEST(LabScheduler, WantsAWayToTheCluster) {
  const Ran ran = RunProgram({"lab", "scheduler"}, {{"HOME", "/nonexistent"}});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, StartsWith("outrigger: "));
  EXPECT_THAT(ran.err, HasSubstr("give --kubeconfig FILE"));
}

TEST(LabScheduler, NamesAKubeconfigThatCannotBeRead) {
  const Ran ran = RunProgram({"lab", "scheduler", "--kubeconfig", "/nonexistent/config"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("/nonexistent/config"));
}

}  // namespace
}  // namespace outrigger::cli
