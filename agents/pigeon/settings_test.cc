#include "settings.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "fmt/format.h"
#include "gmock/gmock.h"

namespace outrigger::pigeon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A pigeon.cfg, as long as it lives.
class ConfigOnDisk {
 public:
  explicit ConfigOnDisk(const std::string& text)
      : path_(::testing::TempDir() + fmt::format("options-{}.cfg", getpid())) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~ConfigOnDisk() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

Settings NoFile() {
  Settings settings;
  settings.config = "";
  return settings;
}

std::string ErrorOf(const Settings& settings,
                    const std::set<std::string, std::less<>>& given = {}) {
  const auto options = OptionsFrom(settings, given);
  EXPECT_TRUE(absl::IsInvalidArgument(options.status())) << options.status();
  return std::string(options.status().message());
}

TEST(PigeonOptions, AreThoseOfTheOriginalByDefault) {
  const auto options = OptionsFrom({}, {});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->objective, Objective::kBinPack);
  ASSERT_EQ(options->resources.size(), 2U);
  EXPECT_EQ(options->resources[0].name, "cpu");
  EXPECT_EQ(options->resources[1].annotation, "requested-memory");
  EXPECT_EQ(options->prime, 0U);
  EXPECT_THAT(options->notes, IsEmpty());
}

TEST(PigeonOptions, TakeTheFileWhereNothingIsSetAndTheSettingWhereItIs) {
  const ConfigOnDisk file("# mine\npolicyResourceIndex = 1\npolicyObjective = CONSOLIDATE \r\n\n");
  Settings settings;
  settings.config = file.path();
  auto options = OptionsFrom(settings, {});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->objective, Objective::kConsolidate) << "blanks at the end are none of it";
  EXPECT_EQ(options->prime, 1U);
  settings.objective = "LOAD_BALANCE";
  settings.prime_resource = "cpu";
  options = OptionsFrom(settings, {"objective", "prime-resource"});
  EXPECT_EQ(options->objective, Objective::kLoadBalance);
  EXPECT_EQ(options->prime, 0U);
}

// POLICY_OBJECTIVE=FOO leaves the default, and is given all the same.
TEST(PigeonOptions, TakeTheDefaultOfAVariableThatIsNotAcceptedBeforeTheFile) {
  const ConfigOnDisk file("policyObjective = CONSOLIDATE\n");
  Settings settings;
  settings.config = file.path();
  EXPECT_EQ(OptionsFrom(settings, {"objective"})->objective, Objective::kBinPack);
}

TEST(PigeonOptions, WarnOfAWordThatIsNoObjectiveAndTakeABinPack) {
  const ConfigOnDisk file("policyObjective = load_balance\npolicyObjectiv = X\nnonsense\n");
  Settings settings;
  settings.config = file.path();
  const auto options = OptionsFrom(settings, {});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->objective, Objective::kBinPack);
  EXPECT_THAT(options->notes,
              ElementsAre(HasSubstr("line 2: no such key: \"policyObjectiv\""),
                          HasSubstr("line 3: \"nonsense\" is not \"key = value\""),
                          HasSubstr("\"load_balance\" is none of A_BINPACK|LOAD_BALANCE")));
}

TEST(PigeonOptions, RefuseAnIndexThatLeadsNowhereWhereItDecides) {
  for (const char* index : {"2", "-1", "one", "1.0", "99999999999999999999", ""}) {
    Settings settings;
    const ConfigOnDisk file(fmt::format("policyResourceIndex = {}\n", index));
    settings.config = file.path();
    const auto options = OptionsFrom(settings, {});
    ASSERT_TRUE(options.ok()) << index;
    EXPECT_THAT(options->notes, ElementsAre(HasSubstr("is not in 0 to 1 (cpu, memory)"))) << index;
    settings.objective = "LOAD_BALANCE";
    EXPECT_THAT(ErrorOf(settings, {"objective"}), HasSubstr("is not in 0 to 1")) << index;
  }
}

TEST(PigeonOptions, RefuseAFileThatWasNamedAndCannotBeRead) {
  Settings settings;
  settings.config = "/nowhere/pigeon.cfg";
  EXPECT_THAT(ErrorOf(settings, {"config"}), HasSubstr("/nowhere/pigeon.cfg: No such file"));
  EXPECT_TRUE(OptionsFrom(settings, {}).ok()) << "it was not named";
  settings.config = ::testing::TempDir();
  EXPECT_THAT(ErrorOf(settings), HasSubstr("not a regular file"));
  const ConfigOnDisk large(std::string(70'000, '#'));
  settings.config = large.path();
  EXPECT_THAT(ErrorOf(settings), HasSubstr("larger than 64 KiB"));
}

TEST(PigeonOptions, TakeAnyResourcesWithWeights) {
  Settings settings = NoFile();
  settings.resources = " cpu , memory = 0.5,nvidia.com/gpu=2, example.com/foo";
  settings.prime_resource = "nvidia.com/gpu";
  const auto options = OptionsFrom(settings, {});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_THAT(options->resources.Weights(), ElementsAre(1, 0.5, 2, 1));
  EXPECT_EQ(options->prime, 2U);
  EXPECT_EQ(options->resources[2].annotation, "requested-gpu");
  EXPECT_EQ(options->resources[3].annotation, "requested-example.com/foo");
}

TEST(PigeonOptions, SayWhatIsWrongWithResources) {
  const std::pair<const char*, const char*> rows[] = {
      {"cpu,", "\"\" is not accepted: the name of a resource"},
      {"cpu,cpu=2", "\"cpu=2\" is not accepted: listed twice"},
      {"cpu=", "a weight is a number above 0"},
      {"cpu=0", "a weight is a number above 0"},
      {"cpu=-1", "a weight"},
      {"cpu=nan", "a weight"},
      {"cpu=1e999", "a weight"},
      {"cpu=2x", "a weight"},
      {"c pu", "the name of a resource"},
      {"a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q", "more than 16"},
  };
  for (const auto& [text, why] : rows) {
    Settings settings = NoFile();
    settings.resources = text;
    EXPECT_THAT(ErrorOf(settings), HasSubstr(why)) << text;
  }
  Settings settings = NoFile();
  settings.prime_resource = "pods";
  EXPECT_THAT(ErrorOf(settings), HasSubstr("one of the resources that count (cpu, memory)"));
}

TEST(PigeonOptions, LeaveTheOriginalItsOwnResources) {
  Settings settings = NoFile();
  settings.original_arithmetic = true;
  settings.num_resources = 4;
  EXPECT_EQ(OptionsFrom(settings, {})->resources[3].name, "gpu");
  settings.resources = "cpu";
  EXPECT_THAT(ErrorOf(settings), HasSubstr("original-arithmetic"));
}

// What the original makes of lines: the key ends at a blank, a comment begins at the first place.
TEST(PigeonConfig, IsReadAsTheOriginalReadsIt) {
  const ConfigFile config = ParseConfig(
      "  policyObjective  is  =   CONSOLIDATE  \r\n#policyObjective = LOAD_BALANCE\n"
      "policyResourceIndex=3",
      true);
  EXPECT_EQ(config.objective, "CONSOLIDATE  \r");
  EXPECT_EQ(config.index, "3");
  EXPECT_EQ(ParseConfig("", true).objective, std::nullopt);
}

}  // namespace
}  // namespace outrigger::pigeon
