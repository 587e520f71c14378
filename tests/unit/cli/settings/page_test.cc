// docs/settings.md against the agents that are compiled in: each section by itself, so that a build
// with some of the agents holds as well.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "cli/settings/docs.h"

namespace outrigger::cli {
namespace {

using ::testing::HasSubstr;

TEST(SettingsPage, IsUpToDate) {
  std::ifstream file(OUTRIGGER_SETTINGS_PAGE);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(page.empty()) << OUTRIGGER_SETTINGS_PAGE;
  const std::string generated = SettingsPage(Registry());
  EXPECT_THAT(page, ::testing::StartsWith(generated.substr(0, generated.find("\n## "))));
  for (const SettingGroup& group : MakeSettingGroups(Registry())) {
    EXPECT_THAT(page, HasSubstr("\n" + SettingsSection(group)))
        << group.Title() << ": run scripts/update-docs";
  }
}

}  // namespace
}  // namespace outrigger::cli
