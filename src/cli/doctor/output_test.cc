// `outrigger doctor` as a program: what it prints, how it ends, and what it refuses to read.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/run.h"
#include "console/program_testing.h"
#include "doctor_testing.h"
#include "nlohmann/json.hpp"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

using testing::Configuration;
using testing::DiagnoseYaml;
using testing::DoctorAgents;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::NamesOf;
using testing::Ran;
using testing::RunProgram;
using testing::TempFile;

const std::string kHead =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    "clientConnection: {qps: 500, burst: 1000}\n";
const std::string kSafe =
    kHead +
    "extenders:\n- urlPrefix: http://127.0.0.1:9871/safe\n  filterVerb: filter\n"
    "  nodeCacheCapable: true\n";
const std::string kGood = kSafe + "  httpTimeout: 1s\n";
const std::string kWarned = kSafe + "  httpTimeout: 30s\n";
const std::string kWrong = kSafe + "  httpTimeout: 30\n";

Ran Doctor(const std::string& yaml, std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), {"doctor", "-"});
  return RunProgram(arguments, {}, yaml);
}

TEST(DoctorOutput, SaysWhoIsCalledIfAllIsWell) {
  const Ran ran = Doctor(kGood);
  EXPECT_EQ(ran.out,
            "File:   standard input\n"
            "Agents: safe (extenders[0])\n"
            "Found:  nothing\n");
  EXPECT_EQ(ran.err, "");
}

TEST(DoctorOutput, SaysOfEachFindingWhereWhatWhyAndWhatInstead) {
  EXPECT_EQ(Doctor(kWarned).out,
            "File:   standard input\n"
            "Agents: safe (extenders[0])\n"
            "Found:  1 warning\n"
            "\n"
            "warning timeout-long (extenders[0].httpTimeout, line 8)\n"
            "  Found: 30s\n"
            "  Why:   While one call waits no pod of the cluster is scheduled.\n"
            "  Fix:   httpTimeout: 1s\n");
}

TEST(DoctorOutput, HasErrorsFirst) {
  const Ran ran = Doctor(kWarned + "  ignorable: [true]\n");
  EXPECT_THAT(ran.out, HasSubstr("Found:  1 error, 1 warning\n"));
  EXPECT_LT(ran.out.find("error type-wrong"), ran.out.find("warning timeout-long"));
}

TEST(DoctorOutput, IsInColourOnlyIfAsked) {
  EXPECT_EQ(Doctor(kWrong).out.find('\x1b'), std::string::npos);
  EXPECT_THAT(Doctor(kWrong, {"--color", "always"}).out, HasSubstr("\x1b[31merror\x1b[0m"));
}

TEST(DoctorOutput, CannotSteerATerminal) {
  EXPECT_THAT(Doctor(kSafe + "  \"a\\e[31m\": 1\n").out, HasSubstr("extenders[0].a\\x1b[31m"));
}

TEST(DoctorOutput, IsJson) {
  const auto json = nlohmann::json::parse(Doctor(kWarned, {"-o", "json"}).out);
  EXPECT_EQ(json["summary"], nlohmann::json({{"errors", 0}, {"warnings", 1}, {"hints", 0}}));
  EXPECT_EQ(json["agents"],
            nlohmann::json::parse(R"([{"name": "safe", "entries": ["extenders[0]"]}])"));
  ASSERT_EQ(json["findings"].size(), 1U);
  EXPECT_EQ(json["findings"][0], nlohmann::json::parse(R"({
    "id": "timeout-long", "severity": "warning", "place": "extenders[0].httpTimeout", "line": 8,
    "found": "30s", "why": "While one call waits no pod of the cluster is scheduled.",
    "fix": "httpTimeout: 1s"})"));
}

TEST(DoctorOutput, IsYaml) {
  const YAML::Node yaml = YAML::Load(Doctor(kWarned, {"-o", "yaml"}).out);
  EXPECT_EQ(yaml["findings"][0]["id"].Scalar(), "timeout-long");
}

TEST(DoctorOutput, SaysThatSeveralAgentsAreCalledAtMergedPaths) {
  EXPECT_THAT(Doctor(kHead + "extenders: [{urlPrefix: http://127.0.0.1:9870, filterVerb: filter, "
                             "httpTimeout: 1s, nodeCacheCapable: true}]")
                  .out,
              HasSubstr("Agents: the merged paths (extenders[0])\nFound:  nothing\n"));
}

struct ExitRow {
  std::string name;
  std::string yaml;
  std::vector<std::string> arguments;
  int code;
};

class DoctorExit : public ::testing::TestWithParam<ExitRow> {};

TEST_P(DoctorExit, Code) {
  EXPECT_EQ(Doctor(GetParam().yaml, GetParam().arguments).code, GetParam().code);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, DoctorExit,
    ::testing::Values(ExitRow{"Good", kGood, {}, 0}, ExitRow{"GoodStrict", kGood, {"--strict"}, 0},
                      ExitRow{"Warning", kWarned, {}, 0},
                      ExitRow{"WarningStrict", kWarned, {"--strict"}, 1},
                      ExitRow{"Error", kWrong, {}, 1},
                      ExitRow{"ErrorJson", kWrong, {"-o", "json"}, 1},
                      ExitRow{"NotYaml", "a: [", {}, 2}, ExitRow{"BadFlag", kGood, {"--stict"}, 2},
                      ExitRow{"BadFormat", kGood, {"-o", "xml"}, 2},
                      ExitRow{"BadSetting", kGood, {"--safe.max-risk", "2"}, 2}),
    [](const auto& row) { return row.param.name; });

TEST(DoctorOutput, TakesAHintForNoWarning) {
  const std::string hinted =
      kHead +
      "extenders: [{urlPrefix: 'http://127.0.0.1:7000/safe', filterVerb: filter, "
      "httpTimeout: 1s, nodeCacheCapable: true}]";
  const Ran ran = Doctor(hinted, {"--strict"});
  EXPECT_THAT(ran.out, HasSubstr("Found:  1 hint\n"));
  EXPECT_EQ(ran.code, 0);
}

TEST(DoctorInput, IsAFile) {
  const TempFile file(kGood);
  EXPECT_THAT(RunProgram({"doctor", file.path()}).out, HasSubstr("File:   " + file.path()));
  const Ran missing = RunProgram({"doctor", file.path() + ".none"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_EQ(missing.err,
            "outrigger: cannot read " + file.path() + ".none: No such file or directory\n");
}

TEST(DoctorInput, IsAskedForIfItIsMissing) {
  const Ran ran = RunProgram({"doctor"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("doctor needs a file with a KubeSchedulerConfiguration"));
}

TEST(DoctorInput, IsCheckedAgainstTheSettingsOfServe) {
  const TempFile settings("port: 7000\n", "outrigger.yaml");
  const std::string at_7000 =
      kHead +
      "extenders: [{urlPrefix: 'http://127.0.0.1:7000/safe', filterVerb: filter, "
      "httpTimeout: 1s, nodeCacheCapable: true}]";
  EXPECT_THAT(Doctor(at_7000, {"--config", settings.path()}).out, HasSubstr("Found:  nothing"));
}

struct ToldRow {
  std::string name;
  std::string agents;  // that the file calls
  std::string lease;   // that gang is told
  int code;
  std::string error;
};

class DoctorTold : public ::testing::TestWithParam<ToldRow> {};

TEST_P(DoctorTold, WhatServeRefusesEndsAsThere) {
  const ToldRow& row = GetParam();
  std::istringstream in(Configuration(row.agents));
  std::ostringstream out;
  std::ostringstream err;
  const World world{DoctorAgents(), {}, {}, in, out, err};
  EXPECT_EQ(cli::Run({"doctor", "-", "--gang.scheduler-lease", row.lease}, world), row.code);
  EXPECT_EQ(err.str(), row.error);
  EXPECT_EQ(out.str().empty(), row.code == kUsage);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, DoctorTold,
    ::testing::Values(
        ToldRow{"Refused", "gang", "foo", 2,
                "outrigger: agent gang: scheduler-lease: NAMESPACE/NAME is accepted\n"},
        ToldRow{"RefusedBesideAnother", "safe,gang", "foo", 2,
                "outrigger: agent gang: scheduler-lease: NAMESPACE/NAME is accepted\n"},
        ToldRow{"Accepted", "gang", "jobs/mine", 0, ""},
        ToldRow{"OfAnAgentThatIsNotCalled", "safe", "foo", 0, ""}),
    [](const auto& row) { return row.param.name; });

struct RefusedRow {
  std::string name;
  std::string yaml;
  std::string error;
};

class DoctorRefuses : public ::testing::TestWithParam<RefusedRow> {};

TEST_P(DoctorRefuses, NamingThePlaceAndWhatIsAccepted) {
  const auto diagnosis = DiagnoseYaml(GetParam().yaml);
  ASSERT_EQ(diagnosis.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(diagnosis.status().message()), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, DoctorRefuses,
    ::testing::Values(
        RefusedRow{"Broken", "a: b: c", "in.yaml:1:5: not YAML: illegal map value"},
        RefusedRow{"Tab", "a:\n\tb: c",
                   "in.yaml:2:1: not YAML: a tab in the indentation; YAML takes blanks there"},
        RefusedRow{"Empty", "",
                   "in.yaml: has 0 documents; expected one KubeSchedulerConfiguration"},
        RefusedRow{"Two", kGood + "---\n" + kGood,
                   "in.yaml: has 2 documents; expected one KubeSchedulerConfiguration"},
        RefusedRow{"List", "- a", "in.yaml:1:1: a KubeSchedulerConfiguration is a mapping"},
        RefusedRow{"MergeKey", kHead + "extenders: [{<<: {a: b}}]",
                   "in.yaml:4:14: merge keys (<<) are not supported; write out their content"},
        RefusedRow{"KeyThatIsAList", kHead + "? [a]\n: b",
                   "in.yaml:4:3: a key must be a plain word"}),
    [](const auto& row) { return row.param.name; });

TEST(DoctorFindsInText, AFieldThatIsThereTwice) {
  const auto diagnosis = DiagnoseYaml(kGood + "  httpTimeout: 30s\n");
  ASSERT_THAT(NamesOf(diagnosis), ElementsAre("field-twice"));
  EXPECT_EQ(diagnosis->findings[0].place.path, "extenders[0].httpTimeout");
  EXPECT_EQ(diagnosis->findings[0].place.line, 9);
}

TEST(DoctorFindsInText, NothingEndlessInADocumentThatContainsItself) {
  EXPECT_THAT(NamesOf(DiagnoseYaml(kHead + "extenders: &x [*x]\nprofiles: &y [{plugins: *y}]")),
              ElementsAre("type-wrong", "type-wrong", "agent-none"));
}

}  // namespace
}  // namespace outrigger::cli
