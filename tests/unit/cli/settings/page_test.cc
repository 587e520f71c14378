// docs/settings.md against the agents that are compiled in: each section by itself, so that a build
// with some of the agents holds as well.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/settings/docs.h"
#include "unit/cli/pages_testing.h"

namespace outrigger::cli {
namespace {

using ::testing::HasSubstr;

TEST(SettingsPage, IsUpToDate) {
  const std::string page = TextOf(OUTRIGGER_SETTINGS_PAGE);
  const std::vector<AgentInfo> agents = OfferedAgents();
  const std::string generated = SettingsPage(agents);
  EXPECT_THAT(page, ::testing::StartsWith(generated.substr(0, generated.find("\n## "))));
  for (const SettingGroup& group : MakeSettingGroups(agents)) {
    EXPECT_THAT(page, HasSubstr("\n" + SettingsSection(group)))
        << group.Title() << ": run scripts/update-docs";
  }
  EXPECT_THAT(page, HasSubstr("\n" + AnnotatorSections())) << "run scripts/update-docs";
  EXPECT_THAT(page, HasSubstr("\n## Old names\n"));
}

}  // namespace
}  // namespace outrigger::cli
