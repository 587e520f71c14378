// Why gangs wait, as people are told.
#include <ctime>
#include <set>

#include "reports/reports_testing.h"

namespace outrigger::gang {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(ReportsTest, TellWhyAGangWaitsOnceItHasForAMomentAndAgainOnlyAfterAWhile) {
  board_.AddGang("train", 3, 2);
  Lacks("train", "2 of 3 members exist");
  EXPECT_THAT(Told(kBegin), IsEmpty());
  EXPECT_EQ(reports_.next_look(), kBegin + seconds(2));
  const Time told = kBegin + seconds(2);
  EXPECT_THAT(Told(told), ElementsAre("gang default/train waits: 2 of 3 members exist"));
  Lacks("train", "1 of 3 members exist");
  EXPECT_THAT(Told(told + minutes(5) - seconds(1)), IsEmpty()) << "the cause is the same";
  EXPECT_THAT(Told(told + minutes(5)),
              ElementsAre("gang default/train waits: 1 of 3 members exist"));
}

TEST_F(ReportsTest, TellAnotherCauseAtOnce) {
  board_.AddGang("train", 3, 2);
  Lacks("train", "2 of 3 members exist");
  Told(kBegin);
  EXPECT_THAT(Told(kBegin + seconds(2)), SizeIs(1));
  board_.Change("train", [](plan::GroupState* group) {
    group->cause = plan::GroupCause::kTooManyMembers;
    group->text = "100001 members exist, expected 100000 at most";
  });
  EXPECT_THAT(
      Told(kBegin + seconds(3)),
      ElementsAre("gang default/train waits: 100001 members exist, expected 100000 at most"));
}

TEST_F(ReportsTest, LogWhyAGangWaitsOnceUntilItWaitsForSomethingElse) {
  board_.AddGang("train", 3, 2);
  Lacks("train", "100001 members exist, expected 100000 at most");
  Told(kBegin);
  const Time told = kBegin + seconds(2);
  for (int again : {0, 5, 10}) EXPECT_THAT(Told(told + minutes(again)), SizeIs(1));
  EXPECT_THAT(log_, ElementsAre("gang default/train waits: 100001 members exist, expected "
                                "100000 at most"));
  Lacks("train", "100002 members exist, expected 100000 at most");
  Told(told + minutes(15));
  EXPECT_THAT(log_, SizeIs(2));
}

TEST_F(ReportsTest, TellOfFiftyGroupsAtOnceAndOfTheNextAfterASecond) {
  for (int i = 0; i < 120; ++i) {
    board_.AddGang(fmt::format("g{}", i), 2, 1);
    Lacks(fmt::format("g{}", i), "1 of 2 members exist");
  }
  OnPlan(kBegin);
  const Time told = kBegin + seconds(2);
  std::set<std::string> all;
  const auto tell = [&](Time now) {
    const std::vector<std::string> notes = Told(now);
    all.insert(notes.begin(), notes.end());
    return notes.size();
  };
  EXPECT_EQ(tell(told), 50U);
  EXPECT_EQ(reports_.next_look(), told + seconds(1));
  EXPECT_EQ(tell(told + milliseconds(10)), 0U) << "plans follow each other faster than that";
  EXPECT_EQ(reports_.next_look(), told + seconds(1));
  EXPECT_EQ(tell(told + seconds(1)), 50U);
  EXPECT_EQ(tell(told + seconds(2)), 20U);
  EXPECT_EQ(reports_.next_look(), std::nullopt);
  EXPECT_THAT(all, SizeIs(120));
}

TEST_F(ReportsTest, TellFirstOfWhoHasBeenDueForLongest) {
  const auto flip = [&](plan::GroupCause cause) {
    for (int i = 0; i < 60; ++i) {
      board_.Change(fmt::format("flips-{}", i),
                    [cause](plan::GroupState* group) { group->cause = cause; });
    }
  };
  for (int i = 0; i < 60; ++i) board_.AddGang(fmt::format("flips-{}", i), 2, 1);
  flip(plan::GroupCause::kTooFewMembers);
  for (int i : {0, 2, 3}) Told(kBegin + seconds(i));
  board_.AddGang("train", 2, 1);
  Lacks("train", "1 of 2 members exist");
  Told(kBegin + seconds(4));
  flip(plan::GroupCause::kInvalidMinimum);  // another cause is told at once
  EXPECT_THAT(Told(kBegin + seconds(7)), SizeIs(50));
  flip(plan::GroupCause::kTooFewMembers);
  EXPECT_THAT(Told(kBegin + seconds(8)),
              Contains("gang default/train waits: 1 of 2 members exist"));
}

TEST_F(ReportsTest, TellingOfThousandsOfGroupsTakesFewPassesOverThemEachTime) {
  constexpr int kGroups = 2000;
  for (int i = 0; i < kGroups; ++i) {
    board_.AddGang(fmt::format("g{}", i), 2, 1);
    Lacks(fmt::format("g{}", i), "1 of 2 members exist");
  }
  const auto board = board_.Make();
  const auto snapshot = cluster_.Take()->snapshot;
  const auto tell = [&](Time now) {
    reports_.OnPlan(*board, {}, {}, now);
    const std::clock_t began = std::clock();  // of the processor: a busy machine changes no ratio
    reports_.Explain(&explainer_, snapshot, {}, {}, *board, now);
    return std::clock() - began;
  };
  constexpr int kTimes = kGroups / 50;
  std::clock_t nobody = 0;
  std::clock_t fifty = 0;
  for (int i = 0; i < kTimes; ++i) nobody += tell(kBegin + milliseconds(i));
  for (int i = 0; i < kTimes; ++i) fifty += tell(kBegin + seconds(2 + i));
  EXPECT_THAT(cluster_.events(), SizeIs(kGroups));
  EXPECT_LT(fifty, 30 * nobody) << "with a pass for each of fifty it is more than twice as much";
}

TEST_F(ReportsTest, SayOfAGangThatWaitsThatItGaveUpItsPlaces) {
  cluster_.Put(testing::MakeNode("n1"));
  board_.AddGang("train", 2, 2, "3");
  board_.Refuse("train", "cpu");
  OnPlan(kBegin, {}, {{LabelsGang("train"), seconds(30)}});
  OnPlan(kBegin + seconds(2));
  reports_.Explain(&explainer_, cluster_.Take()->snapshot, board_.Units(), {}, *board_.Make(),
                   kBegin + seconds(2));
  const char* const why =
      "2 members need cpu 3 each, 1 fits; 1 more node with cpu 3 free would do; it gave up its "
      "places after 30s";
  EXPECT_EQ(cluster_.events().back().note, std::string("gang default/train waits: ") + why);
  EXPECT_EQ(reports_.WhyWaits(LabelsGang("train"), "cpu"), why);
  EXPECT_EQ(reports_.WhyWaits(LabelsGang("train"), "memory"), "") << "those are other figures";
}

TEST_F(ReportsTest, TellWhatKubeSchedulerRefusesAGangThatRests) {
  board_.AddGang("train", 2, 2);
  board_.Rest("train", "kube-scheduler refuses default/train-0 on n1: taints");
  Told(kBegin);
  EXPECT_THAT(Told(kBegin + seconds(2)),
              ElementsAre("gang default/train waits: kube-scheduler refuses default/train-0 on n1: "
                          "taints"));
  EXPECT_THAT(Told(kBegin + seconds(3)), IsEmpty());
}

TEST_F(ReportsTest, SayForWhomNodesAreKept) {
  cluster_.Put(testing::MakeNode("n1"));
  board_.AddGang("train", 2, 2, "3");
  board_.Refuse("train", "cpu");
  const auto units = board_.Units();
  plan::PlanOptions options;
  options.reserve_for = LabelsGang("train");
  options.kept = {"n1"};
  OnPlan(kBegin);
  OnPlan(kBegin + seconds(2));
  reports_.Explain(&explainer_, cluster_.Take()->snapshot, units, options, *board_.Make(),
                   kBegin + seconds(2));
  ASSERT_THAT(cluster_.events(), SizeIs(1));
  EXPECT_EQ(cluster_.events()[0].note,
            "gang default/train waits: 2 members need cpu 3 each, 1 fits; 1 more node with cpu 3 "
            "free would do; nodes are kept free for it");
  reports_.OnReserved(1);
  EXPECT_EQ(counted_.values["reserved_nodes "], 1);
}

TEST_F(ReportsTest, SayForWhomOthersAreEvicted) {
  cluster_.Put(testing::MakeNode("n1"));
  board_.AddGang("train", 2, 2, "3");
  board_.Refuse("train", "cpu");
  plan::PlanOptions options;
  options.promise = plan::Promise{LabelsGang("train"), {}};
  OnPlan(kBegin);
  OnPlan(kBegin + seconds(2));
  reports_.Explain(&explainer_, cluster_.Take()->snapshot, board_.Units(), options, *board_.Make(),
                   kBegin + seconds(2));
  ASSERT_THAT(cluster_.events(), SizeIs(1));
  EXPECT_THAT(cluster_.events()[0].note, HasSubstr("; others are evicted to make room for it"));
}

}  // namespace
}  // namespace outrigger::gang
