// `outrigger doctor --agents`: which agents are judged, and what is known of merged paths by it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/run.h"
#include "console/program_testing.h"
#include "doctor_testing.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {
namespace {

using testing::Change;
using testing::Configuration;
using ::testing::Contains;
using testing::DoctorAgents;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Ran;
using testing::TempFile;

Ran Doctor(const std::string& yaml, std::vector<std::string> arguments,
           const Environment& environment = {}) {
  arguments.insert(arguments.begin(), {"doctor", "-"});
  std::istringstream in(yaml);
  std::ostringstream out;
  std::ostringstream err;
  const World world{DoctorAgents(), {"pigeon"}, environment, in, out, err};
  const int code = cli::Run(arguments, world);
  return {code, out.str(), err.str()};
}

std::vector<std::string> FoundIn(const Ran& ran) {
  std::vector<std::string> names;
  const auto json = nlohmann::json::parse(ran.out, nullptr, false);
  if (json.is_discarded()) return {ran.err};
  for (const auto& finding : json["findings"]) names.push_back(finding["id"]);
  return names;
}

// Both agents in one process, called at its merged paths.
std::string Merged(std::vector<Change> changes = {}) {
  changes.insert(changes.begin(), {{"extenders[1].urlPrefix", "http://127.0.0.1:9870"},
                                   {"extenders[2].urlPrefix", "http://127.0.0.1:9870"},
                                   {"extenders[0]", ""}});
  return Configuration("safe,gang", changes);
}

struct MergedRow {
  std::string name;
  std::string agents;
  std::vector<Change> changes;
  std::vector<std::string> findings;
};

class DoctorOfMergedPaths : public ::testing::TestWithParam<MergedRow> {};

TEST_P(DoctorOfMergedPaths, JudgesForTheAgentsOfTheList) {
  const MergedRow& row = GetParam();
  const Ran ran = Doctor(Merged(row.changes),
                         {"--agents", row.agents, "-o", "json", "--scheduler-config", "in.yaml"});
  EXPECT_EQ(FoundIn(ran), row.findings);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, DoctorOfMergedPaths,
    ::testing::Values(
        MergedRow{"Good", "safe,gang", {}, {}},
        MergedRow{"GoodInAnotherOrder", "gang, safe", {}, {}},
        MergedRow{"GoodAlone", "gang", {}, {}},
        MergedRow{"AnIgnorablePlanner",
                  "safe,gang",
                  {{"extenders[0].ignorable", "true"}},
                  {"planner-ignorable"}},
        MergedRow{
            "NoPreemptVerb", "safe,gang", {{"extenders[0].preemptVerb", ""}}, {"preempt-missing"}},
        MergedRow{"BindInTheCycle",
                  "safe,gang",
                  {{"extenders[0].bindVerb", "bind"}, {"extenders[1]", ""}},
                  {"bind-not-split"}},
        MergedRow{"AVerbThatNoneHas",
                  "safe,congestion",
                  {{"extenders[0].preemptVerb", ""}},
                  {"verb-not-served"}},
        MergedRow{"ManagedResourcesOnce",
                  "safe,gang",
                  {{"extenders[0].managedResources", "[{name: a.b/c}]"}},
                  {"managed-resources"}},
        MergedRow{"TheSameCallTwice",
                  "safe,gang",
                  {{"extenders[2]",
                    "{urlPrefix: 'http://127.0.0.1:9870', prioritizeVerb: prioritize, weight: 1, "
                    "httpTimeout: 1s, nodeCacheCapable: true}"}},
                  {"entry-twice"}},
        MergedRow{"APlannerThatAlsoRunsElsewhere",
                  "gang,qos",
                  {{"extenders[2]",
                    "{urlPrefix: 'http://127.0.0.1:9872/qos', filterVerb: filter, preemptVerb: "
                    "preempt, httpTimeout: 1s, nodeCacheCapable: true}"}},
                  {"two-desks"}},
        MergedRow{"NoLease", "safe,gang", {{"leaderElection", "{leaderElect: false}"}}, {}}),
    [](const auto& row) { return row.param.name; });

TEST(DoctorAgentsFlag, SaysWhatAgentsAssumeThatDoNotReadTheFile) {
  const std::string yaml = Merged({{"leaderElection", "{leaderElect: false}"}});
  EXPECT_THAT(FoundIn(Doctor(yaml, {"--agents", "safe,gang", "-o", "json"})),
              ElementsAre("scheduler-config-unread"));
}

TEST(DoctorAgentsFlag, NamesTheAgentsOfMergedPaths) {
  EXPECT_THAT(Doctor(Merged(), {"--agents", "safe,gang"}).out,
              HasSubstr("Agents: gang (extenders[0] and extenders[1]), safe (extenders[0] and "
                        "extenders[1])\nFound:  nothing\n"));
}

TEST(DoctorAgentsFlag, LeavesOtherAgentsOut) {
  const std::string yaml = Configuration("safe,gang", {{"extenders[0].httpTimeout", "4s"}});
  EXPECT_THAT(FoundIn(Doctor(yaml, {"-o", "json"})), ElementsAre("timeout-long"));
  EXPECT_THAT(FoundIn(Doctor(yaml, {"-o", "json", "--agents", "gang"})), IsEmpty());
  EXPECT_THAT(Doctor(yaml, {"--agents", "gang"}).out,
              HasSubstr("Agents: gang (extenders[1] and extenders[2])\n"));
}

TEST(DoctorAgentsFlag, FindsThatNoEntryCallsThem) {
  const Ran ran = Doctor(Configuration("safe"), {"--agents", "gang"});
  EXPECT_THAT(ran.out, HasSubstr("warning agent-none"));
  EXPECT_THAT(ran.out, HasSubstr("Found: 1 entries, none of gang\n"));
  EXPECT_THAT(ran.out, HasSubstr("outrigger scheduler-config --agents gang --in FILE"));
}

TEST(DoctorAgentsFlag, NoEntryIsRightForAgentsThatNoneIsToCall) {
  const std::string yaml = Configuration("safe");
  EXPECT_THAT(FoundIn(Doctor(yaml, {"-o", "json", "--agents", "gang", "--gang.mode", "alone"})),
              IsEmpty());
  EXPECT_THAT(FoundIn(Doctor(Configuration("safe,gang"),
                             {"-o", "json", "--agents", "gang", "--gang.mode", "alone"})),
              Contains("alone"));
}

TEST(DoctorAgentsFlag, IsTheSettingOfServe) {
  const std::string ignorable = Merged({{"extenders[0].ignorable", "true"}});
  const TempFile file("agents: [safe, gang]\n", "outrigger.yaml");
  EXPECT_THAT(FoundIn(Doctor(ignorable, {"-o", "json", "--config", file.path()})),
              ElementsAre("planner-ignorable"));
  EXPECT_THAT(FoundIn(Doctor(ignorable, {"-o", "json"}, {{"OUTRIGGER_AGENTS", "safe,gang"}})),
              ElementsAre("planner-ignorable"));
}

TEST(DoctorAgentsFlag, MakesFlagsOfOtherAgentsIdle) {
  EXPECT_EQ(Doctor(Merged(), {"--agents", "gang", "--safe.max-risk", "0.5"}).err,
            "note: --safe.max-risk has no effect: agent safe is not served\n");
}

struct RefusedRow {
  std::string name;
  std::string agents;
};

class DoctorAgentsRefused : public ::testing::TestWithParam<RefusedRow> {};

TEST_P(DoctorAgentsRefused, AsServeRefusesThem) {
  const Ran ran = Doctor(Merged(), {"--agents", GetParam().agents});
  EXPECT_EQ(ran.code, kUsage);
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  const World world{DoctorAgents(), {"pigeon"}, {}, in, out, err};
  EXPECT_EQ(cli::Run({"serve", "--agents", GetParam().agents}, world), kUsage);
  EXPECT_EQ(ran.err, err.str());
  EXPECT_THAT(ran.err, HasSubstr("agent"));
}

INSTANTIATE_TEST_SUITE_P(Rows, DoctorAgentsRefused,
                         ::testing::Values(RefusedRow{"NotCompiledIn", "pigeon"},
                                           RefusedRow{"Unknown", "gnag"},
                                           RefusedRow{"Twice", "gang,gang"},
                                           RefusedRow{"Empty", ""}),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::cli
