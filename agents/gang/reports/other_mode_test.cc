#include "reports/other_mode.h"

#include <string>
#include <vector>

#include "builders.h"
#include "gmock/gmock.h"
#include "reports/counted_testing.h"

namespace outrigger::gang {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakePod;

struct OtherModeTest : ::testing::Test {
  Counted counted;
  std::vector<std::string> warned;
  const Pod single = MakePod("single");
  const Pod member = MakePod("member").Requests({{"outrigger.dev/gang", "1"}});
};

TEST_F(OtherModeTest, CountsPodsThatDoNotAskWhereOnlyTheAgentHasIt) {
  OtherMode mode(
      &counted, [this](std::string_view line) { warned.emplace_back(line); }, true);
  mode.OnFilter(member);
  EXPECT_THAT(counted.values, IsEmpty());
  mode.OnFilter(single);
  mode.OnFilter(single);
  EXPECT_EQ(counted.values["only_groups_mismatch_total "], 2);
  EXPECT_THAT(warned, ElementsAre(HasSubstr("which does not ask for outrigger.dev/gang")));
}

TEST_F(OtherModeTest, CountsPodsThatAskWhereOnlyTheSchedulerHasIt) {
  OtherMode mode(
      &counted, [this](std::string_view line) { warned.emplace_back(line); }, false);
  mode.OnFilter(single);
  mode.OnFilter(MakePod("none").Requests({{"outrigger.dev/gang", "0"}}));
  EXPECT_THAT(counted.values, IsEmpty()) << "a pod that asks for none passes NodeResourcesFit";
  mode.OnFilter(member);
  mode.OnFilter(member);
  EXPECT_EQ(counted.values["only_groups_mismatch_total "], 2);
  EXPECT_THAT(warned, ElementsAre(HasSubstr("only-groups is not set")));
}

}  // namespace
}  // namespace outrigger::gang
