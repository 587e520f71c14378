// `outrigger explain queue`, as a user runs it on what kubectl printed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "console/pages/page_text.h"
#include "console/program_testing.h"
#include "fmt/format.h"
#include "gang/plan/queue.h"
#include "gang_dump_testing.h"
#include "nlohmann/json.hpp"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Ran;
using testing::RunProgram;
using ::testing::StartsWith;
using testing::TempFile;

// A node with room for one of the pods that follow.
constexpr char kNodeOfOne[] =
    "kind: List\nitems:\n- {kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: \"1\", "
    "pods: \"110\"}}}\n";

std::string QueuedPod(const std::string& name, const std::string& metadata, const std::string& spec,
                      const std::string& status = "") {
  return fmt::format(
      "- {{kind: Pod, metadata: {{name: {0}, namespace: a, uid: {0}, {1}}}, spec: {{{2} "
      "containers: [{{name: c, resources: {{requests: {{cpu: \"1\"}}}}}}]}}, status: {{{3}}}}}\n",
      name, metadata, spec, status);
}

Ran ExplainQueueIn(const std::string& dump, std::vector<std::string> arguments = {}) {
  const TempFile file(dump, "dump.yaml");
  arguments.insert(arguments.begin(), {"explain", "queue", "--cluster", file.path()});
  return RunProgram(arguments);
}

// "a b": the units of the table in their order.
std::string QueueOrderOf(const std::string& dump, std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.end(), {"-o", "json"});
  const Ran ran = ExplainQueueIn(dump, arguments);
  EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
  std::string order;
  const auto json = nlohmann::json::parse(ran.out);
  for (const auto& row : json["rows"]) {
    order += (order.empty() ? "" : " ") + row["unit"].get<std::string>().substr(2);
  }
  return order;
}

TEST(ExplainQueue, ShowsGangsAndPodsInTheirOrder) {
  const Ran ran = ExplainQueueIn(kGangDump);
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err,
            "note: gangs are planned as a whole here; qos without gang starts their members one by "
            "one (see --agent)\nnote: 2 gangs are not in the queue: they lack more than places "
            "(see `outrigger explain gang`)\n");
  EXPECT_EQ(
      ran.out,
      "POSITION  UNIT        KIND  GROUP-PRIORITY  PRIORITY  CLASS      AGE  STATE        AFTER   "
      "    LACKS\n"
      "       1  shop/train  gang               9         0  Burstable  -    has a place  -       "
      "    -\n"
      "       2  shop/big    gang               1         0  Burstable  -    waits        "
      "shop/train  cpu\n"
      "       3  shop/web    pod                0         0  Burstable  -    has a place  shop/big "
      "   -\n");
}

TEST(ExplainQueue, GivesASinglePodItsPlaceBeforeLaterUnits) {
  const std::string dump = kNodeOfOne + QueuedPod("late", "labels: {groupPriority: \"1\"}", "") +
                           QueuedPod("early", "labels: {groupPriority: \"2\"}", "");
  EXPECT_EQ(ExplainQueueIn(dump, {"-o", "json", "--limit", "2"}).err, "");
  const auto rows = nlohmann::json::parse(ExplainQueueIn(dump, {"-o", "json"}).out)["rows"];
  EXPECT_EQ(rows[0]["unit"], "a/early");
  EXPECT_EQ(rows[0]["state"], "has a place");
  EXPECT_EQ(rows[0]["lacks"], nullptr);
  EXPECT_EQ(rows[1]["state"], "waits");
  EXPECT_EQ(rows[1]["after"], "a/early");
  EXPECT_EQ(rows[1]["lacks"], "cpu");
  EXPECT_EQ(rows[1]["why"], "too little cpu is left on the nodes that take it; it asks for 1");
}

TEST(ExplainQueue, CountsTheMembersOfAGang) {
  const auto rows = nlohmann::json::parse(ExplainQueueIn(kGangDump, {"-o", "json"}).out)["rows"];
  EXPECT_EQ(rows[1]["unit"], "shop/big");
  EXPECT_EQ(rows[1]["members"], 2);
  EXPECT_EQ(rows[1]["bound"], 0);
  EXPECT_EQ(rows[1]["minimum"], 2);
  EXPECT_EQ(rows[1]["why"], "too little cpu is left for 2 members at once");
}

TEST(ExplainQueue, ShowsWhatOurGateHoldsAndNothingThatAnotherHolds) {
  const std::string gated = "schedulingGates: [{name: outrigger.dev/queue}],";
  const std::string gang = "labels: {podGroup: g, minAvailable: \"2\", groupPriority: \"1\"}";
  const std::string dump = kNodeOfOne + QueuedPod("p1", "", gated) + QueuedPod("g1", gang, gated) +
                           QueuedPod("g2", gang, gated) +
                           QueuedPod("other", "", "schedulingGates: [{name: example.com/quota}],");
  EXPECT_THAT(ExplainQueueIn(dump).err, StartsWith("note: gangs are planned as a whole here"));
  const auto rows = nlohmann::json::parse(ExplainQueueIn(dump, {"-o", "json"}).out)["rows"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["unit"], "a/g");
  EXPECT_EQ(rows[0]["state"], "waits");
  EXPECT_EQ(rows[0]["lacks"], "cpu");
  EXPECT_EQ(rows[1]["unit"], "a/p1");
  EXPECT_EQ(rows[1]["state"], "has a place");
}

TEST(ExplainQueue, HasTheKeysOfThePage) {
  const auto json = nlohmann::ordered_json::parse(
      ExplainQueueIn(kNodeOfOne + QueuedPod("p", "creationTimestamp: \"2026-11-24T03:00:12Z\"", ""),
                     {"-o", "json"})
          .out);
  std::vector<std::string> keys;
  for (const auto& [key, value] : json["rows"][0].items()) keys.push_back(key);
  std::vector<std::string> columns;
  for (const PageColumn& column : plan::QueuePage().columns) columns.push_back(column.name);
  EXPECT_EQ(keys, columns);
  EXPECT_EQ(json["rows"][0]["since"], "2026-11-24T03:00:12Z");
  EXPECT_EQ(json["total"], 1);
  EXPECT_EQ(json["truncated"], false);
}

TEST(ExplainQueue, PrintsYamlWithTheSameKeys) {
  const auto yaml = YAML::Load(ExplainQueueIn(kGangDump, {"-o", "yaml"}).out);
  EXPECT_EQ(yaml["rows"][1]["unit"].as<std::string>(), "shop/big");
  EXPECT_EQ(yaml["rows"][1]["groupPriority"].as<int>(), 1);
  EXPECT_TRUE(yaml["rows"][0]["after"].IsNull());
  EXPECT_EQ(yaml["total"].as<int>(), 3);
}

TEST(ExplainQueue, ShowsTheFirstRowsUpToTheLimit) {
  const Ran ran = ExplainQueueIn(kGangDump, {"--limit", "1", "-o", "json"});
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["rows"].size(), 1U);
  EXPECT_EQ(json["rows"][0]["unit"], "shop/train");
  EXPECT_EQ(json["total"], 3);
  EXPECT_EQ(json["truncated"], true);
  EXPECT_THAT(ran.err, HasSubstr("note: the first 1 of 3 units are shown\n"));
}

TEST(ExplainQueue, SaysThatNothingWaits) {
  EXPECT_EQ(ExplainQueueIn(kNodeOfOne).out, "Nothing waits.\n");
  EXPECT_EQ(nlohmann::json::parse(ExplainQueueIn(kNodeOfOne, {"-o", "json"}).out),
            nlohmann::json::parse(R"({"rows":[],"total":0,"truncated":false})"));
}

// 20 pods with 60 constraints each that no other one has: more than is planned together.
std::string PodsThatAskForTooMuch(const std::string& labels) {
  std::string pods;
  for (int pod = 0; pod < 20; ++pod) {
    std::string constraints = "topologySpreadConstraints: [";
    for (int i = 0; i < 60; ++i) {
      constraints += fmt::format(
          "{{maxSkew: 1, topologyKey: k-{}-{}, whenUnsatisfiable: DoNotSchedule, labelSelector: "
          "{{}}}}, ",
          pod, i);
    }
    pods += QueuedPod(fmt::format("p{:02}", pod), labels, constraints + "],");
  }
  return pods;
}

TEST(ExplainQueue, ShowsAGangThatAsksForTooMuchAsOneThatWaits) {
  const Ran ran = ExplainQueueIn(
      kNodeOfOne + PodsThatAskForTooMuch("labels: {podGroup: g, minAvailable: \"20\"}"),
      {"-o", "json"});
  const auto json = nlohmann::json::parse(ran.out);
  ASSERT_EQ(json["rows"].size(), 1U);
  EXPECT_EQ(json["rows"][0]["unit"], "a/g");
  EXPECT_EQ(json["rows"][0]["state"], "waits");
  EXPECT_THAT(json["rows"][0]["lacks"].get<std::string>(), HasSubstr("more than 1024"));
}

TEST(ExplainQueue, NotesSinglePodsThatAskForTooMuch) {
  const Ran ran = ExplainQueueIn(kNodeOfOne + PodsThatAskForTooMuch(""), {"-o", "json"});
  EXPECT_EQ(nlohmann::json::parse(ran.out)["total"], 17);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("note: a/p17: exceeds a limit of the planner: "),
                             HasSubstr("note: a/p19: ")));
}

TEST(ExplainQueue, NotesWhatIsMalformed) {
  EXPECT_THAT(
      ExplainQueueIn(kNodeOfOne + QueuedPod("p", "labels: {groupPriority: \"1e3\"}", "")).err,
      AllOf(StartsWith("note: a/p: "), HasSubstr("1e3")));
}

struct QueueOrderRow {
  std::string name;
  std::string pods;
  std::string order;
  std::vector<std::string> arguments = {};
};

class ExplainQueueOrder : public ::testing::TestWithParam<QueueOrderRow> {};

TEST_P(ExplainQueueOrder, IsThatOfTheAgent) {
  EXPECT_EQ(QueueOrderOf(kNodeOfOne + GetParam().pods, GetParam().arguments), GetParam().order);
}

const std::string kByPriority = QueuedPod("guaranteed", "", "", "qosClass: Guaranteed") +
                                QueuedPod("important", "", "priority: 9,", "qosClass: Burstable");

INSTANTIATE_TEST_SUITE_P(
    Rows, ExplainQueueOrder,
    ::testing::Values(
        QueueOrderRow{"GroupPriorityBeforePriority",
                      QueuedPod("p1", "", "priority: 9,") +
                          QueuedPod("p2", "labels: {groupPriority: \"1\"}", ""),
                      "p2 p1"},
        QueueOrderRow{"PriorityBeforeClass", kByPriority, "important guaranteed"},
        QueueOrderRow{
            "PriorityThatCounts", kByPriority, "important guaranteed", {"--pod-priority", "true"}},
        QueueOrderRow{
            "PriorityLeftOut", kByPriority, "guaranteed important", {"--pod-priority=false"}},
        QueueOrderRow{"CriticalFirst",
                      QueuedPod("p1", "labels: {groupPriority: \"5\"}", "") +
                          QueuedPod("p2", "", "priority: 2000000000,"),
                      "p2 p1",
                      {"--pod-priority=false"}},
        QueueOrderRow{"ClassBeforeTime",
                      QueuedPod("p1", "creationTimestamp: \"2026-01-01T00:00:00Z\"", "",
                                "qosClass: BestEffort") +
                          QueuedPod("p2", "creationTimestamp: \"2026-01-02T00:00:00Z\"", "",
                                    "qosClass: Burstable"),
                      "p2 p1"},
        QueueOrderRow{"Time",
                      QueuedPod("p1", "creationTimestamp: \"2026-01-02T00:00:00Z\"", "") +
                          QueuedPod("p2", "creationTimestamp: \"2026-01-01T00:00:00Z\"", ""),
                      "p2 p1"},
        QueueOrderRow{"OfThatScheduler",
                      QueuedPod("p1", "", "schedulerName: other,") + QueuedPod("p2", "", ""),
                      "p1",
                      {"--scheduler-names", "other"}}),
    [](const auto& row) { return row.param.name; });

struct QueueAgeRow {
  std::string name;
  std::string since;
  std::string age;
};

class QueueAge : public ::testing::TestWithParam<QueueAgeRow> {};

TEST_P(QueueAge, IsCountedFromSince) {
  PageTable queue({{"since", PageColumn::Type::kText}}, 10);
  queue.Add({GetParam().since});
  EXPECT_EQ(PageText(queue, {.now = 1'700'000'000}), "AGE\n" + GetParam().age + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    Rows, QueueAge,
    ::testing::Values(QueueAgeRow{"Now", "2023-11-14T22:13:20Z", "0s"},
                      QueueAgeRow{"AClockThatIsLate", "2023-11-14T22:13:21Z", "0s"},
                      QueueAgeRow{"Seconds", "2023-11-14T22:11:21Z", "119s"},
                      QueueAgeRow{"Minutes", "2023-11-14T22:11:20Z", "2m"},
                      QueueAgeRow{"MostMinutes", "2023-11-14T20:13:21Z", "119m"},
                      QueueAgeRow{"Hours", "2023-11-14T20:13:20Z", "2h"},
                      QueueAgeRow{"MostHours", "2023-11-12T22:13:21Z", "47h"},
                      QueueAgeRow{"Days", "2023-11-12T22:13:20Z", "2d"},
                      QueueAgeRow{"NoTime", "yesterday", "yesterday"}),
    [](const auto& row) { return row.param.name; });

TEST(PageText, ShowsColumnsOfALaterVersion) {
  PageTable queue({{"waitsForGpus", PageColumn::Type::kBoolean},
                   {"share", PageColumn::Type::kNumber},
                   {"unit", PageColumn::Type::kText}},
                  10);
  queue.Add({true, 0.25, "a/\x1b[2J"});
  EXPECT_EQ(PageText(queue, {}),
            "WAITS-FOR-GPUS  SHARE  UNIT\n"
            "yes              0.25  a/\\x1b[2J\n");
}

TEST(ExplainQueueTable, IsInColourIfAsked) {
  EXPECT_THAT(ExplainQueueIn(kGangDump, {"--color", "always"}).out,
              AllOf(HasSubstr("\x1b[31mwaits"), HasSubstr("\x1b[32mhas a place")));
}

}  // namespace
}  // namespace outrigger::cli
