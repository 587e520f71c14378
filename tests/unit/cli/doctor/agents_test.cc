// The doctor, scheduler-config and the agents that are compiled in agree with each other; and
// docs/doctor.md has what can be found.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "cli/doctor/doctor.h"
#include "cli/scheduler_config/scheduler_config.h"
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

}  // namespace
}  // namespace outrigger::cli
