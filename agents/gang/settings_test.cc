// What settings of earlier versions come to.

#include "settings.h"

#include <map>
#include <string>

#include "gtest/gtest.h"

namespace outrigger::gang {
namespace {

using std::chrono::seconds;

TEST(FormerSettings, AreWhatTheAgentTakesWhereTheSchedulersFileDoesNotSayIt) {
  const SettingsSchema schema = SettingsSchema::Of<Settings>();
  const SettingsValues values = schema.Defaults();
  const auto& settings = values.As<Settings>();
  EXPECT_EQ(BindTimeoutOf(settings, {}), seconds(630));
  EXPECT_EQ(PartialTimeoutOf(settings), seconds(60));
  EXPECT_EQ(EvictorOptionsOf(settings).min_run_time, seconds(60));
  EXPECT_EQ(TermsOf({}, settings).unchecked, std::nullopt);
  EXPECT_FALSE(TermsOf({}, settings).members_only);

  const std::map<std::string, std::string> former = {{"only-groups", "true"},
                                                     {"unchecked", "NodePorts"},
                                                     {"bind-timeout", "90"},
                                                     {"partial-timeout", "400"},
                                                     {"min-run-time", "0"}};
  for (const SettingSpec& spec : schema.former()) {
    ASSERT_TRUE(former.contains(spec.name)) << spec.name;
    ASSERT_TRUE(spec.parse(SettingsValues(values).get(), former.at(spec.name)).ok()) << spec.name;
  }
  EXPECT_EQ(BindTimeoutOf(settings, {}), seconds(90));
  SchedulerFacts facts;
  facts.bind_timeout = seconds(30);
  EXPECT_EQ(BindTimeoutOf(settings, facts), seconds(30));
  EXPECT_EQ(PartialTimeoutOf(settings), seconds(400)) << "also above timeout";
  EXPECT_EQ(EvictorOptionsOf(settings).min_run_time, seconds(0));
  EXPECT_EQ(TermsOf({}, settings).unchecked, "NodePorts");
  EXPECT_TRUE(TermsOf({}, settings).members_only);
}

}  // namespace
}  // namespace outrigger::gang
