#include "demand/text.h"

#include <limits>

#include "gmock/gmock.h"

namespace outrigger::pigeon {
namespace {

using ::testing::HasSubstr;

const Resources kTwo = Resources::First(2, "gpu");

DemandState SomeState() {
  DemandState state{Demand(2), {0x00e1f2a3b4c5d6e7, std::numeric_limits<uint64_t>::max(), 0}};
  state.demand.Add(std::vector<double>{100, 1e9 / 3});
  state.demand.Add(std::vector<double>{250, 0.1});
  return state;
}

// `text` with one line changed.
std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(PigeonDemandText, ReadsWhatItWroteToTheBit) {
  const DemandState state = SomeState();
  const auto read = ParseDemand(PrintDemand(state, kTwo), kTwo);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->demand.pods(), 2);
  EXPECT_EQ(read->pods, state.pods);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read->demand.mean(i), state.demand.mean(i));
    for (size_t j = 0; j < 2; ++j) EXPECT_EQ(read->demand.square(i, j), state.demand.square(i, j));
  }
  EXPECT_EQ(PrintDemand(*read, kTwo), PrintDemand(state, kTwo));
}

TEST(PigeonDemandText, IsFarBelowWhatAConfigMapTakes) {
  DemandState state{Demand(kMostResources), std::vector<uint64_t>(DemandBook::kMostStored, 7)};
  std::string names;
  for (size_t i = 0; i < kMostResources; ++i) {
    names += (i == 0 ? "" : ",") + std::string(250, static_cast<char>('a' + i));
  }
  const auto resources = Resources::Parse(names, "gpu");
  ASSERT_TRUE(resources.ok()) << resources.status();
  state.demand.Add(std::vector<double>(kMostResources, 1e30 / 3));
  const std::string text = PrintDemand(state, *resources);
  EXPECT_LT(text.size(), kMostStateText);
  EXPECT_TRUE(ParseDemand(text, *resources).ok());
}

TEST(PigeonDemandText, SaysWhichLineIsWrong) {
  const std::string good = PrintDemand(SomeState(), kTwo);
  const std::pair<std::string, const char*> rows[] = {
      {"", "line 1: \"outrigger-pigeon-demand ...\" is expected"},
      {"hello", "line 1"},
      {Replaced(good, "demand 1", "demand 2"), "it has version 2, this program reads version 1"},
      {Replaced(good, "demand 1", "demand"), "it has version \"\""},
      {Replaced(good, "resources cpu memory", "resources"), "line 2: 1 to 16 names"},
      {Replaced(good, "pods 2", "pods 101"), "line 3: a number of pods from 0 to 100"},
      {Replaced(good, "pods 2", "pods -1"), "line 3"},
      {Replaced(good, "pods 2", "pods two"), "line 3"},
      {Replaced(good, "mean ", "mean 1 "), "line 4: 2 numbers"},
      {Replaced(good, "mean 175", "mean nan"), "line 4: \"nan\" is not a number"},
      {Replaced(good, "mean 175", "mean inf"), "line 4"},
      {Replaced(good, "mean 175", "mean -5"), "line 4"},
      {Replaced(good, "mean 175", "mean 1e999"), "line 4"},
      {Replaced(good, "squares ", "squares x "), "line 5: 3 numbers"},
      {Replaced(good, "counted ", "counted 12 "), "line 6: a pod is 16 hexadecimal digits"},
      {Replaced(good, "counted ", "counted 00000000000000zz "), "line 6"},
      {good + "more\n", "line 6: nothing is expected after it"},
      {good.substr(0, good.find("squares")), "line 5: \"squares ...\" is expected"},
      {std::string(kMostStateText + 1, ' '), "it is longer than"},
  };
  for (const auto& [text, why] : rows) {
    const auto read = ParseDemand(text, kTwo);
    ASSERT_TRUE(absl::IsInvalidArgument(read.status())) << text.substr(0, 100) << read.status();
    EXPECT_THAT(std::string(read.status().message()), HasSubstr(why));
  }
}

TEST(PigeonDemandText, IsTakenForFewerResourcesAndNotForOthers) {
  const std::string text = PrintDemand(SomeState(), kTwo);
  const auto memory = Resources::Parse("memory", "gpu");
  const auto fewer = ParseDemand(text, *memory);
  ASSERT_TRUE(fewer.ok()) << fewer.status();
  EXPECT_EQ(fewer->demand.mean(0), SomeState().demand.mean(1));
  EXPECT_EQ(fewer->demand.square(0, 0), SomeState().demand.square(1, 1));
  const auto other = ParseDemand(text, Resources::First(3, "gpu"));
  EXPECT_TRUE(absl::IsFailedPrecondition(other.status()));
  EXPECT_THAT(std::string(other.status().message()), HasSubstr("it has no data for pods"));
}

}  // namespace
}  // namespace outrigger::pigeon
