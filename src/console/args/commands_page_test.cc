// docs/commands.md against the command line: each section by itself, so that a build with some of
// the agents holds as well.

#include "console/args/commands_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/pages_testing.h"
#include "cli/run.h"

namespace outrigger::cli {
namespace {

using ::testing::HasSubstr;

TEST(CommandsPage, IsUpToDate) {
  const std::string page = TextOf(OUTRIGGER_COMMANDS_PAGE);
  const CommandLine line(Commands(OfferedAgents()));
  const std::string generated = CommandsPage(line);
  EXPECT_THAT(page, ::testing::StartsWith(generated.substr(0, generated.find("\n## "))));
  for (const std::string& section : line.CommandSections()) {
    EXPECT_THAT(page + "\n", HasSubstr("\n" + section + "\n")) << "run scripts/update-docs";
  }
}

TEST(CommandsPage, HasASectionOfEachCommandAndNoneOfThoseForMaintainers) {
  const std::string page = CommandsPage(CommandLine(Commands(Registry())));
  for (const char* command : {"serve",
                              "agents",
                              "scheduler-config",
                              "doctor",
                              "ui",
                              "top",
                              "explain pod",
                              "explain gang",
                              "explain queue",
                              "explain penalty",
                              "annotate usage",
                              "annotate allocation",
                              "penalty restore",
                              "schedule",
                              "devices",
                              "lab scheduler",
                              "lab nodes",
                              "version",
                              "completion",
                              "lab apiserver",
                              "lab load",
                              "lab save"}) {
    EXPECT_THAT(page, HasSubstr(std::string("\n## `outrigger ") + command + "`"));
  }
  EXPECT_THAT(page, ::testing::Not(HasSubstr("`outrigger docs`")));
}

}  // namespace
}  // namespace outrigger::cli
