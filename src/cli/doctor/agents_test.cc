// The doctor, scheduler-config and the agents that are compiled in agree with each other; and
// docs/doctor.md has what can be found.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "cli/doctor/doctor.h"
#include "cli/run.h"
#include "cli/scheduler_config/scheduler_config.h"
#include "console/program_testing.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

// What the doctor says of what scheduler-config writes for `agents`.
std::string SaidOf(const std::string& agents, SchedulerConfigFlags flags = {}) {
  flags.agents = agents;
  const auto plan = PlanSchedulerConfig(flags, Registry(), {});
  if (!plan.ok()) return plan.status().ToString();
  const auto text = WriteSchedulerConfig(*plan, std::nullopt);
  if (!text.ok()) return text.status().ToString();
  const auto diagnosis = Diagnose({agents, text->yaml}, MakeSettingGroups(Registry()), {});
  if (!diagnosis.ok()) return diagnosis.status().ToString();
  std::string said;
  for (const Finding& finding : diagnosis->findings) {
    said += fmt::format("{} at {}: {}\n", finding.kind->name, finding.place.path, finding.found);
  }
  if (diagnosis->agents.empty()) said += "no agents\n";
  return said;
}

// Agents that plan are served by one process.
SchedulerConfigFlags OfOneProcess() {
  SchedulerConfigFlags flags;
  flags.urls = {"http://127.0.0.1:9870"};
  return flags;
}

TEST(DoctorAndSchedulerConfig, AgreeAboutEachAgentAlone) {
  for (const AgentInfo& agent : Registry()) EXPECT_EQ(SaidOf(agent.name), "") << agent.name;
}

TEST(DoctorAndSchedulerConfig, AgreeAboutEachPairOfAgents) {
  for (const AgentInfo& one : Registry()) {
    for (const AgentInfo& other : Registry()) {
      if (&one == &other) continue;
      const std::string pair = one.name + "," + other.name;
      const bool plan = one.factory.wishes.last && other.factory.wishes.last;
      EXPECT_EQ(SaidOf(pair, plan ? OfOneProcess() : SchedulerConfigFlags()), "") << pair;
    }
  }
}

TEST(DoctorAndSchedulerConfig, AgreeAboutAllAgents) {
  if (Registry().empty()) return;
  EXPECT_EQ(SaidOf("", OfOneProcess()), "");
}

TEST(DoctorAndSchedulerConfig, AgreeAboutTls) {
  SchedulerConfigFlags flags;
  flags.urls = {"https://127.0.0.1:9870"};
  flags.tls_cas = {"/ca.crt"};
  flags.tls_certs = {"/tls.crt"};
  flags.tls_keys = {"/tls.key"};
  if (Registry().empty()) return;
  EXPECT_EQ(SaidOf("", flags), "");
}

TEST(DoctorPage, HasARowForEachFindingAndNoOther) {
  std::ifstream file(OUTRIGGER_DOCTOR_PAGE);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> rows;
  const std::regex row(R"(\n(\| `[^`]+` \| (error|warning|hint) \|))");
  for (std::sregex_iterator it(page.begin(), page.end(), row), end; it != end; ++it) {
    rows.push_back((*it)[1]);
  }
  std::vector<std::string> expected;
  for (const FindingKind& kind : FindingKinds()) {
    expected.push_back(fmt::format("| `{}` | {} |", kind.name, TextOf(kind.severity)));
  }
  EXPECT_THAT(rows, ::testing::UnorderedElementsAreArray(expected));
}

// What `doctor` prints of the classes of a cluster, with settings of agent penalty.
std::string SaidOfClasses(const std::string& classes, std::vector<std::string> settings) {
  SchedulerConfigFlags flags;
  flags.agents = "penalty";
  const auto plan = PlanSchedulerConfig(flags, Registry(), {});
  if (!plan.ok()) return plan.status().ToString();
  const testing::TempFile file(fmt::format(R"({{"kind":"List","items":[{}]}})", classes), "c.json");
  std::istringstream in(WriteSchedulerConfig(*plan, std::nullopt)->yaml);
  std::ostringstream out;
  settings.insert(settings.begin(), {"doctor", "-", "--cluster", file.path()});
  Run(settings, World{Registry(), {}, {}, in, out, out});
  return out.str();
}

std::string ClassNamed(const std::string& name, int value, const std::string& more = "") {
  return fmt::format(
      R"({{"kind":"PriorityClass","metadata":{{"name":"{}","labels":{{"fair":"on"}}{}}},"value":{}}})",
      name, more, value);
}

TEST(DoctorOfClasses, FindsThoseThatThePenaltyCannotMove) {
  const bool is_there = std::any_of(Registry().begin(), Registry().end(),
                                    [](const AgentInfo& agent) { return agent.name == "penalty"; });
  const std::string classes =
      ClassNamed("h-priority", 1000) + "," + ClassNamed("next", 1001) + "," +
      ClassNamed("high-priority", 10001) + "," +
      ClassNamed("penalised", 900, R"(,"annotations":{"outrigger.dev/base-value":"1002"})");
  const std::vector<std::string> fair = {"--penalty.class-selector", "fair=on"};
  const std::string said = SaidOfClasses(classes, fair);
  if (!is_there) {
    EXPECT_THAT(said, ::testing::HasSubstr("--penalty.class-selector"));  // no such flag
    return;
  }
  EXPECT_THAT(said, ::testing::HasSubstr("warning penalty-no-room (PriorityClass next)\n"
                                         "  Found: base 1001, floor 1001 of class h-priority\n"));
  EXPECT_THAT(said, ::testing::HasSubstr("(PriorityClass penalised)\n  Found: base 1002"));
  EXPECT_THAT(said, ::testing::Not(::testing::HasSubstr("high-priority)")));
  EXPECT_THAT(SaidOfClasses(classes + "," + ClassNamed("koord-mid", 7999), fair),
              ::testing::HasSubstr("(PriorityClass high-priority)"));
  EXPECT_THAT(SaidOfClasses(classes, {}), ::testing::Not(::testing::HasSubstr("penalty-no-room")));
  const std::string with_stand_in =
      ClassNamed("gold", 1000) +
      R"(,{"kind":"PriorityClass","metadata":{"name":"gold-at-970","labels":{)"
      R"("app.kubernetes.io/component":"penalty","app.kubernetes.io/managed-by":"outrigger"},)"
      R"("annotations":{"outrigger.dev/stands-in-for":"gold","outrigger.dev/mapped-in":"kube-system"}},)"
      R"("preemptionPolicy":"PreemptLowerPriority","value":970})";
  EXPECT_THAT(SaidOfClasses(with_stand_in, fair),
              ::testing::Not(::testing::HasSubstr("penalty-no-room")));
  const std::string with_default = ClassNamed("next", 1001) +
                                   R"(,{"kind":"PriorityClass","metadata":{"name":"usual",)"
                                   R"("labels":{"fair":"on"}},"globalDefault":true,"value":1002})";
  EXPECT_THAT(SaidOfClasses(with_default, fair),
              ::testing::Not(::testing::HasSubstr("PriorityClass usual")));
  EXPECT_THAT(SaidOfClasses(with_default, {"--penalty.class-selector", "fair=on",
                                           "--penalty.replacement", "mapped"}),
              ::testing::HasSubstr("warning penalty-no-room (PriorityClass usual)"));
}

}  // namespace
}  // namespace outrigger::cli
