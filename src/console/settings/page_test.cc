// docs/settings.md against the agents that are compiled in: each section by itself, so that a build
// with some of the agents holds as well.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/pages_testing.h"
#include "console/settings/docs.h"
#include "console/settings/loader.h"

namespace outrigger::cli {
namespace {

using ::testing::AllOf;
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
  for (const auto& [sharing, row] : SharedRows(MakeSettingGroups(agents))) {
    EXPECT_THAT(page, HasSubstr("\n## Of " + sharing + "\n")) << "run scripts/update-docs";
    EXPECT_THAT(page, HasSubstr("\n" + row)) << "run scripts/update-docs";
  }
  EXPECT_THAT(page, HasSubstr("\n" + AnnotatorSections())) << "run scripts/update-docs";
  EXPECT_THAT(page, HasSubstr("\n## Old names\n"));
}

// In each source; the former one of a switch with either value.
TEST(FormerNames, BesideThePresentOneAreAnErrorThatNamesBoth) {
  const std::vector<AgentInfo> agents = OfferedAgents();
  for (const SettingGroup& group : MakeSettingGroups(agents)) {
    for (const BoundSetting& setting : group.settings) {
      for (const SettingNames& former : {setting.former_switch}) {
        if (former.flag.empty()) continue;
        SettingSources flags;
        flags.flags = {{former.flag, "true"}, {setting.flag, "x"}};
        SettingSources variables;
        variables.environment = {{former.env, "false"}, {setting.env, "x"}};
        SettingSources file;
        file.file = {{former.key, "true", false, "o:1:1", "o:1:9"},
                     {setting.key, "x", false, "o:2:1", "o:2:9"}};
        const auto expect_both = [&](const SettingSources& both, const std::string& old_name,
                                     const std::string& present) {
          std::vector<SettingGroup> groups = MakeSettingGroups(agents);
          std::vector<std::string> warnings;
          const absl::Status status = LoadSettings(both, &groups, &warnings);
          EXPECT_THAT(std::string(status.message()),
                      AllOf(HasSubstr(old_name), HasSubstr(" is the former name of " + present),
                            HasSubstr(": give only one")));
        };
        expect_both(flags, former.flag, setting.flag);
        expect_both(variables, former.env, setting.env);
        expect_both(file, former.key, setting.key);
      }
    }
  }
}

}  // namespace
}  // namespace outrigger::cli
