// What `outrigger top` shows, and on how much room.

#include "cli/look/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_join.h"
#include "cli/look/pages_testing.h"
#include "fmt/format.h"

namespace outrigger::cli::look {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

std::vector<QueuedUnit> Pods(size_t count) {
  std::vector<QueuedUnit> units;
  for (size_t i = 0; i < count; ++i) units.push_back({"pod", fmt::format("shop/p{}", i)});
  return units;
}

Readings Usual() {
  std::vector<QueuedUnit> queue = {{"gang", "ml/red", "has a place", "", ""},
                                   {"gang", "ml/blue", "waits", "memory", "2 nodes have room"}};
  for (QueuedUnit& pod : Pods(20)) queue.push_back(std::move(pod));
  return ReadingsOf(QueueTable(queue),
                    GangsTable({{"gang", "ml/late", "not ready", "members", "5 of 8 pods exist"},
                                {"gang", "ml/blue", "waits", "memory", ""},
                                {"gang", "ml/old", "placed", "", ""}}),
                    NodesTable(12));
}

View Of(size_t width, size_t height) {
  View view{.width = width, .height = height};
  view.now = Noon() + std::chrono::seconds{3};
  return view;
}

std::string TextOf(const Drawn& drawn) {
  return absl::StrJoin(drawn.lines, "\n");
}

struct Size {
  size_t width, height;
};
class FrameOfAnySize : public ::testing::TestWithParam<Size> {};

TEST_P(FrameOfAnySize, FillsTheTerminalAndNoMore) {
  const auto [width, height] = GetParam();
  Readings failing = Usual();
  failing.answers = absl::UnavailableError(std::string(3000, 'x'));
  for (const Readings& readings : {Usual(), failing, Readings()}) {
    for (const bool nodes : {false, true}) {
      View view = Of(width, height);
      view.nodes = nodes;
      view.scroll = 5;
      const Drawn drawn = Frame(readings, view);
      EXPECT_THAT(drawn.lines, SizeIs(height));
      EXPECT_THAT(drawn.lines, Each(SizeIs(::testing::Le(width))));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, FrameOfAnySize,
                         ::testing::Values(Size{80, 24}, Size{200, 60}, Size{20, 5}, Size{1, 1},
                                           Size{132, 12}, Size{40, 100}),
                         [](const auto& row) {
                           return fmt::format("{}x{}", row.param.width, row.param.height);
                         });

TEST(Frame, HasAllPartsOn80x24) {
  const Drawn drawn = Frame(Usual(), Of(80, 24));
  EXPECT_THAT(drawn.lines[0],
              AllOf(HasSubstr("outrigger top  "), HasSubstr("  http://127.0.0.1:9970")));
  EXPECT_EQ(drawn.lines[1], "Ready: gang,qos in pod kube-system/outrigger-x");
  EXPECT_EQ(drawn.lines[2],
            "Waiting: 2 gangs (9 pods), 20 pods; placed: 1; 12 nodes, 1 reserved, 1 closed");
  const std::string text = TextOf(drawn);
  EXPECT_THAT(text, HasSubstr("Waiting for: cpu (20 units), members (1), memory (1)\n"));
  EXPECT_THAT(text, HasSubstr("cpu             [######=x...."));
  EXPECT_THAT(text, HasSubstr("  waits        memory: 2 nodes have room\n"));
  EXPECT_THAT(text, HasSubstr("zone-0"));
  EXPECT_THAT(drawn.lines[23], AllOf(HasSubstr(" of 23   q quit"), HasSubstr("n nodes")));
}

TEST(Frame, SumsUpAllNodes) {
  const std::string text = TextOf(Frame(Usual(), Of(200, 60)));
  // 12 nodes of 8 cores, of which 2.5 are used; 4 are reserved, and 5.5 lie on a closed node.
  EXPECT_THAT(text, HasSubstr("30         4     56     96"));
  EXPECT_THAT(text, HasSubstr("96Gi      16Gi  248Gi  384Gi"));
  // The last node has devices of another kind.
  EXPECT_THAT(text, HasSubstr("11         2     31     44"));
  EXPECT_THAT(text, HasSubstr("12 nodes, 1 reserved, 1 closed"));
}

TEST(Frame, ShowsGangsThatAreNotInTheQueueBelowIt) {
  const Drawn drawn = Frame(Usual(), Of(0, 0));
  const std::string text = TextOf(drawn);
  EXPECT_THAT(text, HasSubstr("members: 5 of 8 pods exist"));
  EXPECT_THAT(text, Not(HasSubstr("ml/old")));
  EXPECT_EQ(text.find("ml/blue"), text.rfind("ml/blue"));
  EXPECT_LT(text.find("shop/p19"), text.find("ml/late"));
}

TEST(Frame, CountsWhatTheQueueHasOnce) {
  // A group whose members are scheduled one by one, one of kube-scheduler's, a gang with the name
  // of a pod.
  Readings readings = Usual();
  readings.gangs.table = GangsTable({{"gang", "shop/group", "waits", "cpu", ""},
                                     {"gang", "shop/upstream", "left to kube-scheduler", "", ""},
                                     {"gang", "shop/p0", "not ready", "members", ""}});
  const std::string text = TextOf(Frame(readings, Of(200, 60)));
  EXPECT_THAT(text, HasSubstr("Waiting: 2 gangs (9 pods), 20 pods"));
  EXPECT_THAT(text, HasSubstr("Waiting for: cpu (20 units), members (1), memory (1)\n"));
}

TEST(Frame, SaysThatItHasCountedAPart) {
  Readings readings = Usual();
  readings.queue.table->Count(5000);
  EXPECT_THAT(TextOf(Frame(readings, Of(200, 60))), HasSubstr("of the first 22 of 5022 rows"));
}

TEST(Frame, ScrollsNoFurtherThanTheListGoes) {
  View view = Of(80, 24);
  const Drawn top = Frame(Usual(), view);
  view.scroll = 2;
  EXPECT_THAT(TextOf(Frame(Usual(), view)), Not(HasSubstr("ml/blue")));
  view.scroll = 1'000'000;
  const Drawn end = Frame(Usual(), view);
  EXPECT_EQ(end.scroll, 23 - top.page);
  EXPECT_THAT(TextOf(end), HasSubstr("ml/late"));
}

TEST(Frame, ShowsNodesInPlaceOfTheQueue) {
  View view = Of(200, 60);
  view.nodes = true;
  const std::string text = TextOf(Frame(Usual(), view));
  EXPECT_THAT(text, HasSubstr("2.5/4/1.5"));
  EXPECT_THAT(text, HasSubstr("ml/red"));
  EXPECT_THAT(text, HasSubstr("closed"));
  EXPECT_THAT(text, Not(HasSubstr("ml/blue")));
  EXPECT_THAT(text, HasSubstr("n queue"));
}

TEST(Frame, LetsNoNameSteerTheTerminal) {
  const std::string evil =
      "a/\x1b[2J\r\n\x9b\xc2\x9b\xe2\x80\xae\xf0\x9f\x92\xa3" + std::string(300, 'x');
  Readings readings =
      ReadingsOf(QueueTable({{evil, evil, evil, evil, evil}}),
                 GangsTable({{"gang", evil + "2", evil, evil, evil}}), NodesTable(2));
  readings.who = evil;
  readings.not_ready = {evil};
  readings.queue.status = absl::UnavailableError(evil);
  for (const size_t width : {size_t{80}, size_t{200}}) {
    for (const std::string& line : Frame(readings, Of(width, 40)).lines) {
      EXPECT_LE(line.size(), width);
      for (const char c : line) {
        EXPECT_GE(c, ' ') << line;
        EXPECT_LT(static_cast<unsigned char>(c), 0x7F) << line;
      }
    }
  }
}

TEST(Frame, SaysThatNothingWaits) {
  const std::string text =
      TextOf(Frame(ReadingsOf(QueueTable({}), GangsTable({}), NodesTable(2)), Of(80, 24)));
  EXPECT_THAT(text, HasSubstr("Nothing waits."));
  EXPECT_THAT(text, HasSubstr("Waiting: 0 gangs (0 pods), 0 pods; placed: 0"));
}

TEST(Frame, LeavesOutPagesThatAreNotServed) {
  Readings readings = Usual();
  for (PageReading* const page : {&readings.gangs, &readings.nodes}) {
    *page = {std::nullopt, {}, absl::NotFoundError("404")};
  }
  const std::string text = TextOf(Frame(readings, Of(80, 24)));
  EXPECT_THAT(text, HasSubstr("Not served here: gangs and nodes"));
  EXPECT_THAT(text, Not(HasSubstr("RESERVED")));
  EXPECT_THAT(text, HasSubstr("shop/p0"));
}

TEST(Frame, ShowsTheLastDataAndItsAgeWhileThePageIsNotReady) {
  Readings readings = Usual();
  readings.queue.status =
      absl::UnavailableError("http://127.0.0.1:9970/queue: 503: another replica leads");
  readings.gangs = {
      std::nullopt,
      {},
      absl::UnavailableError("http://127.0.0.1:9970/gangs: 503: another replica leads")};
  const std::string text = TextOf(Frame(readings, Of(80, 24)));
  EXPECT_THAT(text, HasSubstr("queue (3s old), gangs (unknown): 503: another replica leads\n"));
  EXPECT_THAT(text, HasSubstr("shop/p0"));
}

TEST(Frame, ShowsForHowLongNothingAnswers) {
  Readings readings = Usual();
  readings.answers = absl::UnavailableError("http://127.0.0.1:9970/readyz: no connection");
  const std::string text = TextOf(Frame(readings, Of(80, 24)));
  EXPECT_THAT(text, HasSubstr("No answer for 3s: http://127.0.0.1:9970/readyz: no connection\n"));
  EXPECT_THAT(text, HasSubstr("shop/p0"));
  readings.answers = absl::OkStatus();
  readings.not_ready = {"agent-qos: there is no plan yet"};
  EXPECT_THAT(
      TextOf(Frame(readings, Of(80, 24))),
      HasSubstr("Not ready: gang,qos in pod kube-system/outrigger-x\nagent-qos: there is no plan "
                "yet\n"));
}

TEST(Frame, SaysHowOldItIsWhileTheNextAnswerIsAwaited) {
  View view = Of(80, 24);
  view.now = Noon() + std::chrono::seconds{5};
  EXPECT_THAT(TextOf(Frame(Usual(), view)), Not(HasSubstr("old")));
  view.now = Noon() + std::chrono::seconds{12};
  EXPECT_EQ(Frame(Usual(), view).lines[1],
            "Ready: gang,qos in pod kube-system/outrigger-x; figures are 12s old");
}

TEST(Frame, TakesSumsThatNoPageCanMean) {
  PageTable nodes = NodesTable(3);
  PageTable huge(nodes.columns(), 10);
  for (std::vector<PageCell> row : nodes.rows()) {
    for (PageCell& cell : row) {
      if (std::holds_alternative<int64_t>(cell)) cell = INT64_MAX;
    }
    huge.Add(row);
  }
  const Drawn drawn = Frame(ReadingsOf(QueueTable({}), GangsTable({}), huge), Of(80, 24));
  EXPECT_THAT(drawn.lines, Each(SizeIs(::testing::Le(80U))));
}

}  // namespace
}  // namespace outrigger::cli::look
