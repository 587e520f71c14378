// What `scheduler-config` says of its flags beside the configuration.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/doctor/doctor_testing.h"
#include "cli/scheduler_config/scheduler_config.h"

namespace outrigger::cli {
namespace {

using ::testing::Contains;
using testing::DoctorAgents;
using ::testing::HasSubstr;

struct NoteRow {
  std::string name;
  std::string agents;
  std::vector<std::string> urls;
  bool ignorable;
  std::string said;      // empty: nothing of it
  std::string not_said;  // where nothing is said
  std::vector<std::string> cas = {};
};

class SchedulerConfigNote : public ::testing::TestWithParam<NoteRow> {};

TEST_P(SchedulerConfigNote, IsThereWhereItIsTrue) {
  const NoteRow& row = GetParam();
  SchedulerConfigFlags flags;
  flags.agents = row.agents;
  flags.urls = row.urls;
  flags.ignorable = row.ignorable;
  flags.tls_cas = row.cas;
  const auto plan = PlanSchedulerConfig(flags, DoctorAgents(), {});
  ASSERT_TRUE(plan.ok()) << plan.status();
  const auto text = WriteSchedulerConfig(*plan, std::nullopt);
  ASSERT_TRUE(text.ok()) << text.status();
  const bool any = !row.said.empty();
  const auto said = Contains(HasSubstr(any ? row.said : row.not_said));
  EXPECT_EQ(::testing::Value(text->notes, said), any) << ::testing::PrintToString(text->notes);
}

const std::string kOneProcess = "of its own";

INSTANTIATE_TEST_SUITE_P(
    Rows, SchedulerConfigNote,
    ::testing::Values(
        NoteRow{"SeveralAgents",
                "safe,congestion",
                {},
                false,
                "safe and congestion are each expected in a process of their own, on their own "
                "port; for one process that serves them all: --url http://127.0.0.1:9870",
                ""},
        NoteRow{"SeveralAgentsWithTls",
                "safe,congestion",
                {},
                false,
                "--url https://127.0.0.1:9870",
                "",
                {"/ca.crt"}},
        NoteRow{"OneOfThreeWithAnUrl",
                "safe,congestion,gang",
                {"gang=http://127.0.0.1:1"},
                false,
                "safe and congestion are each",
                ""},
        NoteRow{"OneAgent", "safe", {}, false, "", kOneProcess},
        NoteRow{"OneAgentWithTwoEntries", "gang", {}, false, "", kOneProcess},
        NoteRow{
            "OneUrlForAll", "safe,congestion", {"http://127.0.0.1:9870"}, false, "", kOneProcess},
        NoteRow{"OneOfTwoWithAnUrl",
                "safe,congestion",
                {"safe=http://127.0.0.1:1"},
                false,
                "",
                kOneProcess},
        NoteRow{"IgnorableOfWhoPlans",
                "gang",
                {},
                true,
                "--ignorable is not possible with agent gang: without its answers the scheduler "
                "places pods against the plan",
                ""},
        NoteRow{"IgnorableOfAnother", "safe", {}, true, "", "--ignorable"},
        NoteRow{"NotIgnorable", "gang", {}, false, "", "--ignorable"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::cli
