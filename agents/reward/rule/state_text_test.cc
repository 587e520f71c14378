#include "rule/state_text.h"

#include <string>

#include "common/time_testing.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::reward {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kD = "default/D d:1";
constexpr const char* kWeb = "shop/web web:2,proxy:1";
constexpr size_t kRoom = 900 * 1024;

State Example() {
  State state((Rule()));
  state.time = kStart;
  state.experience.AddFailure(kD, "node-1", 5, kStart - 60);
  state.experience.AddFailure(kD, "node-1", 5, kStart);
  state.experience.AddRunning(kD, "node-2", 3, kStart);
  state.experience.AddSuccess(kWeb, "node-2", kStart - 600);
  state.counted.SetHorizon(kStart - CountedEnds::kKept);
  state.counted.Add(0xabc, kStart - 60);
  return state;
}

std::string TextOf(const State& state, size_t room = kRoom) {
  return WriteState(state.time, state.experience, state.counted, room);
}

StateRead Read(const std::string& text, Seconds now = kStart + 5) {
  return ReadState(text, now, Rule());
}

TEST(RewardState, IsReadAsItWasWritten) {
  const State before = Example();
  const StateRead read = Read(TextOf(before));
  EXPECT_THAT(read.findings, IsEmpty());
  const State& state = read.state;
  EXPECT_EQ(state.time, kStart);
  EXPECT_EQ(state.experience.pairs(), 3U);
  EXPECT_THAT(state.experience.Find(kD, "node-1", kStart).sums.failures,
              DoubleNear(before.experience.Find(kD, "node-1", kStart).sums.failures, 1e-5));
  EXPECT_THAT(state.experience.Find(kD, "node-1", kStart).failed_at,
              ElementsAre(kStart, kStart - 60));
  EXPECT_THAT(state.experience.All(kWeb, kStart).successes,
              DoubleNear(before.experience.All(kWeb, kStart).successes, 1e-5));
  EXPECT_TRUE(state.counted.Contains(0xabc));
  EXPECT_EQ(state.counted.horizon(), kStart - CountedEnds::kKept);
  EXPECT_EQ(TextOf(state), TextOf(before));
}

TEST(RewardState, AnEmptyTextIsNothing) {
  const StateRead read = Read("");
  EXPECT_THAT(read.findings, IsEmpty());
  EXPECT_EQ(read.state.time, 0);
  EXPECT_EQ(read.state.counted.horizon(), CountedEnds::kNever);
}

TEST(RewardState, KeepsWhatCanBeUsedOfAnEditedText) {
  std::string text = TextOf(Example());
  const size_t at = text.find("on 0");
  ASSERT_NE(at, std::string::npos);
  text.insert(at, "hello\non 99 1 1\non 0 -4 1\non 0 1 nan\non 1 1\n# a remark\n\n");
  const StateRead read = Read(text);
  EXPECT_EQ(read.unusable, 5);
  ASSERT_THAT(read.findings, SizeIs(5));
  EXPECT_THAT(read.findings[0].text, HasSubstr("not known: \"hello\""));
  EXPECT_THAT(read.findings[1].text, HasSubstr("no such node"));
  EXPECT_THAT(read.findings[2].text, HasSubstr("not an amount"));
  EXPECT_EQ(read.state.experience.pairs(), 3U);
}

TEST(RewardState, NamesAnotherVersionAndKeepsWhatIsTheSame) {
  std::string text = TextOf(Example());
  text.replace(0, text.find('\n'), "outrigger-reward 7");
  text += "colour green\n";
  const StateRead read = Read(text);
  ASSERT_THAT(read.findings, SizeIs(2));
  EXPECT_THAT(read.findings[0].text, HasSubstr("it is of version 7, and this program writes"));
  EXPECT_EQ(read.findings[0].line, 0);
  EXPECT_EQ(read.state.experience.pairs(), 3U);
}

TEST(RewardState, OfTypesWithoutNamespacesNothingIsUsed) {
  const StateRead read =
      Read("outrigger-reward 1\ntime 1795000000\nnode a\ntype D 0 9\non 0 0 9\nended 1 0f\n");
  ASSERT_THAT(read.findings, SizeIs(1));
  EXPECT_THAT(read.findings[0].text, HasSubstr("version 1, whose types have no namespace"));
  EXPECT_EQ(read.state.experience.pairs(), 0U);
  EXPECT_EQ(read.state.time, 0) << "what pods still show is counted";
}

TEST(RewardState, ATypeHasANamespaceANameAndImages) {
  for (const char* type : {"D 1 1", "D d:1 1 1", "/D d:1 1 1", "shop/ d:1 1 1", "a/b/c d:1 1 1",
                           "shop/D d:1 d:2 1 1"}) {
    const StateRead read =
        Read(fmt::format("outrigger-reward 2\ntime 1795000000\ntype {}\n", type));
    EXPECT_THAT(read.findings, SizeIs(1)) << type;
  }
}

TEST(RewardState, AForeignTextIsNothingButFindings) {
  const StateRead read = Read("{\"apiVersion\": \"v1\"}\n\x01\x02\n");
  EXPECT_EQ(read.state.experience.pairs(), 0U);
  EXPECT_THAT(read.findings, SizeIs(3));
  EXPECT_THAT(read.findings[2].text, HasSubstr("\\x01")) << "printable";
}

TEST(RewardState, WithoutATimeItIsOfNow) {
  std::string text = TextOf(Example());
  text.erase(text.find("time"), text.find("node") - text.find("time"));
  const StateRead read = Read(text);
  EXPECT_THAT(read.findings, SizeIs(1));
  EXPECT_EQ(read.state.time, kStart + 5);
  EXPECT_EQ(read.state.experience.pairs(), 3U);
}

TEST(RewardState, ATimeInTheFutureIsNow) {
  const StateRead read = Read(TextOf(Example()), kStart - 86'400);
  ASSERT_THAT(read.findings, SizeIs(1));
  EXPECT_THAT(read.findings[0].text, HasSubstr("later than now"));
  EXPECT_EQ(read.state.time, kStart - 86'400);
  EXPECT_GT(read.state.experience.Find(kD, "node-1", kStart).sums.failures, 0.9);
}

TEST(RewardState, TheLeastUsedPairsHaveNoRoomFirst) {
  State state((Rule()));
  state.time = kStart;
  for (int i = 0; i < 1000; ++i) state.experience.AddSuccess(kD, fmt::format("n{}", i), kStart);
  state.experience.AddFailure(kD, "bad", 0, kStart);
  size_t left_out = 0;
  const std::string text = WriteState(kStart, state.experience, state.counted, 4000, &left_out);
  EXPECT_LE(text.size(), 4000U);
  EXPECT_GT(left_out, 900U);
  EXPECT_THAT(text, HasSubstr("node bad\n"));
  const StateRead read = Read(text);
  EXPECT_EQ(read.state.experience.All(kD, kStart).successes, 1000) << "the sum has them";
}

TEST(RewardState, IsNeverLongerThanItMayBe) {
  State state((Rule()));
  state.time = kStart;
  const std::string name(200, 'x');
  for (size_t i = 0; i < 20'000; ++i) {
    state.experience.AddFailure(fmt::format("n/{}-{} i", name, i % 100),
                                fmt::format("{}{}", name, i), 0, kStart);
  }
  for (uint64_t i = 0; i < CountedEnds::kMost; ++i) state.counted.Add(~i, kStart);
  EXPECT_LE(TextOf(state).size(), kRoom);
  EXPECT_GT(TextOf(state).size(), kRoom / 2);
  EXPECT_LE(TextOf(state, 200).size(), 200U);
}

TEST(RewardState, ReadsAHostileMebibyteInTime) {
  std::string text = "outrigger-reward 2\ntime 1\nnode a\n";
  while (text.size() < size_t{1} << 20) text += "type default/D d:1 1 1\non 0 1 1\n";
  EXPECT_EQ(Read(text).state.experience.pairs(), 1U);
}

}  // namespace
}  // namespace outrigger::reward
