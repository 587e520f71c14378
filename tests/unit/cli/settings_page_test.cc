// docs/settings.md against the agents that are compiled in: each section by itself, so that a build
// with some of the agents holds as well. The page has the agents that README.md offers to users; a
// folder that a user adds to a tree of their own needs no edit there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "cli/docs.h"

namespace outrigger::cli {
namespace {

using ::testing::HasSubstr;

std::string TextOf(const char* path) {
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_FALSE(text.empty()) << path;
  return text;
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SettingsPage, IsUpToDate) {
  const std::string page = TextOf(OUTRIGGER_SETTINGS_PAGE);
  const std::string readme = TextOf(OUTRIGGER_README);
  std::set<std::string> left_out;  // SettingGroup::Title()
  for (const AgentInfo& info : Registry()) {
    const bool offered = Has(readme, "(agents/" + info.name + "/");
    if (!offered && !Has(page, "\n## Agent " + info.name + "\n")) {
      left_out.insert("agent " + info.name);
    }
  }
  const std::string generated = SettingsPage(Registry());
  EXPECT_THAT(page, ::testing::StartsWith(generated.substr(0, generated.find("\n## "))));
  for (const SettingGroup& group : MakeSettingGroups(Registry())) {
    if (left_out.contains(group.Title())) continue;
    EXPECT_THAT(page, HasSubstr("\n" + SettingsSection(group)))
        << group.Title() << ": run scripts/update-docs";
  }
}

}  // namespace
}  // namespace outrigger::cli
