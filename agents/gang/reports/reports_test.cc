#include <ctime>
#include <set>

#include "reports/reports.h"
#include "reports/reports_testing.h"

namespace outrigger::gang {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

TEST_F(ReportsTest, CountWaitingGangsByCause) {
  board_.AddGang("a", 2, 2);
  board_.AddGang("b", 2, 2);
  board_.AddGang("c", 2, 2);
  board_.Refuse("a", "cpu");
  board_.Refuse("b", "cpu");
  OnPlan(kBegin);
  EXPECT_EQ(counted_.values["waiting cpu"], 2);
  board_.Refuse("a", "memory");
  Lacks("c", "1 of 2 members exist");
  OnPlan(kBegin);
  EXPECT_EQ(counted_.values["waiting cpu"], 1);
  EXPECT_EQ(counted_.values["waiting memory"], 1);
  EXPECT_EQ(counted_.values["waiting members"], 1);
  board_.Refuse("a", "cpu");
  OnPlan(kBegin);
  EXPECT_EQ(counted_.values["waiting memory"], 0) << "a cause that nobody has any more";
}

TEST_F(ReportsTest, CountNothingAnyMoreOnceAnotherIsInCharge) {
  board_.AddGang("a", 2, 2);
  board_.Refuse("a", "cpu");
  OnPlan(kBegin);
  reports_.OnBarriers(2, 7);
  reports_.OnReserved(1);
  reports_.OnPartial(*board_.Make(), {}, 3);
  EXPECT_EQ(counted_.values["barriers_waiting "], 2);
  EXPECT_EQ(counted_.values["waiters "], 7);
  reports_.OnActing(absl::UnavailableError("not in charge: x"));
  for (const char* gauge :
       {"waiting cpu", "barriers_waiting ", "waiters ", "reserved_nodes ", "partial "}) {
    EXPECT_EQ(counted_.values[gauge], 0) << gauge;
  }
}

TEST_F(ReportsTest, CountBarriersByHowTheyEndAndForHowLongTheyStood) {
  board_.AddGang("train", 2, 2);
  OnPlan(Time::clock::now());
  reports_.OnBarrier(LabelsGang("train"), BarrierEnd::kNoRoom, milliseconds(1500));
  EXPECT_THAT(log_, ElementsAre(HasSubstr("gang default/train: nothing is bound after 1500ms: no "
                                          "room")));
  EXPECT_THAT(counted_.observed, ElementsAre(Pair("held_seconds no room", 1.5)));
  reports_.OnBarrier(LabelsGang("train"), BarrierEnd::kOpened, milliseconds(500));
  EXPECT_EQ(counted_.values["barriers_total no room"], 1);
  EXPECT_EQ(counted_.values["barriers_total opened"], 1);
  ASSERT_THAT(counted_.observed, SizeIs(3));
  EXPECT_THAT(counted_.observed[1], Pair("held_seconds opened", 0.5));
  EXPECT_EQ(counted_.observed[2].first, "admission_seconds ");
}

TEST_F(ReportsTest, TellOfAGangThatIsBoundInPartThroughItsFirstMemberThatWaits) {
  board_.AddGang("train", 3, 3);
  board_.Bind("train", 2);
  const Recovery::Partial partial{LabelsGang("train"), 2, 3, plan::OnMemberLoss::kRestart};
  reports_.OnPartial(*board_.Make(), std::vector{partial}, 1);
  EXPECT_EQ(counted_.values["partial "], 1);
  ASSERT_THAT(cluster_.events(), SizeIs(1));
  const ClusterEvent event = cluster_.events()[0];
  EXPECT_EQ(event.reason, "GangPartial");
  EXPECT_EQ(event.name, "train-2");
  EXPECT_TRUE(event.warning);
  EXPECT_THAT(event.note,
              HasSubstr("bound in part: 2 of 3 members run; the remaining members are evicted"));
}

TEST_F(ReportsTest, TellOfAGangThatGaveUpItsPlaces) {
  board_.AddGang("train", 2, 2);
  OnPlan(kBegin, {}, {{LabelsGang("train"), seconds(30)}});
  EXPECT_EQ(counted_.values["timeouts_total "], 1);
  ASSERT_THAT(cluster_.events(), SizeIs(1));
  EXPECT_EQ(cluster_.events()[0].reason, "GangTimedOut");
  EXPECT_THAT(cluster_.events()[0].note, HasSubstr("still incomplete 30s after it got nodes"));
}

TEST_F(ReportsTest, LogOnceWhichGangsAreLeftToKubeScheduler) {
  board_.AddGang("train", 2, 2);
  board_.Change("train",
                [](plan::GroupState* group) { group->cause = plan::GroupCause::kLeftToScheduler; });
  for (int i = 0; i < 3; ++i) EXPECT_THAT(Told(kBegin + seconds(i)), IsEmpty());
  EXPECT_THAT(log_, ElementsAre("gang default/train is left to kube-scheduler (leave-upstream)"));
}

TEST_F(ReportsTest, AdmissionCountsFromWhenAGangWasFirstSeenThoughItFitForAMoment) {
  const Time first_seen = Time::clock::now() - minutes(10);
  board_.AddGang("train", 2, 2);
  board_.Refuse("train", "cpu");
  OnPlan(first_seen);
  board_.Accept("train");
  OnPlan(first_seen + minutes(5));
  board_.Refuse("train", "cpu");
  OnPlan(first_seen + minutes(6));
  reports_.OnBarrier(LabelsGang("train"), BarrierEnd::kOpened, milliseconds(1));
  EXPECT_THAT(counted_.observed, Contains(Pair("admission_seconds ", Ge(600))));
}

TEST_F(ReportsTest, LogWhoIsInChargeWhenThatChanges) {
  reports_.OnActing(absl::OkStatus());
  EXPECT_THAT(log_, IsEmpty()) << "nobody else can be";
  for (int i = 0; i < 2; ++i) reports_.OnActing(absl::UnavailableError("not in charge: x"));
  for (int i = 0; i < 2; ++i) reports_.OnActing(absl::OkStatus());
  EXPECT_THAT(log_, ElementsAre("not in charge: x", "in charge"));
}

TEST_F(ReportsTest, LogTheEndOfAWaitThatWasTold) {
  board_.AddGang("train", 2, 2);
  Lacks("train", "1 of 2 members exists");
  Told(kBegin);
  reports_.OnBarrier(LabelsGang("train"), BarrierEnd::kOpened, milliseconds(1));
  EXPECT_THAT(log_, IsEmpty());
  Told(kBegin + seconds(2));
  const size_t before = log_.size();
  reports_.OnBarrier(LabelsGang("train"), BarrierEnd::kOpened, milliseconds(1));
  ASSERT_EQ(log_.size(), before + 1);
  EXPECT_EQ(log_.back(), "gang default/train no longer waits: its members are bound");
}

TEST_F(ReportsTest, WhereThereIsNoBarrierTheFirstBindingEndsTheWait) {
  board_.AddGang("train", 3, 3);
  OnPlan(kBegin);
  reports_.OnBoundOneByOne(*board_.Make(), kBegin + seconds(1));
  EXPECT_THAT(counted_.observed, IsEmpty());
  board_.Bind("train", 1);
  for (int i = 3; i < 5; ++i) {
    reports_.OnBoundOneByOne(*board_.Make(), kBegin + seconds(i));
    OnPlan(kBegin + seconds(i));
  }
  EXPECT_THAT(counted_.observed, ElementsAre(Pair("admission_seconds ", 3)));
}

TEST_F(ReportsTest, AGangThatIsFirstSeenBoundInPartIsNotAdmittedAgain) {
  board_.AddGang("train", 3, 3);
  board_.Bind("train", 1);
  OnPlan(kBegin);
  reports_.OnBoundOneByOne(*board_.Make(), kBegin + seconds(1));
  EXPECT_THAT(counted_.observed, IsEmpty());
}

TEST_F(ReportsTest, CountNominationsByWhatBecameOfThem) {
  const auto pod = std::make_shared<Pod>(testing::MakePod("train-0"));
  reports_.OnNomination({pod, "n1"}, absl::OkStatus());
  reports_.OnNomination({pod, ""}, absl::OkStatus());
  reports_.OnNomination({pod, "n1"}, absl::NotFoundError("gone"));
  EXPECT_THAT(log_, IsEmpty()) << "the next plan knows";
  reports_.OnNomination({pod, "n1"}, absl::PermissionDeniedError("no"));
  EXPECT_THAT(log_, SizeIs(1));
  EXPECT_EQ(counted_.values["nominations_total written"], 1);
  EXPECT_EQ(counted_.values["nominations_total withdrawn"], 1);
  EXPECT_EQ(counted_.values["nominations_total failed"], 2);
}

TEST_F(ReportsTest, TellOnceThatNominationsAreForbiddenUntilOneIsNot) {
  for (const char* name : {"train-0", "train-1", "train-0"}) {
    reports_.OnNomination({std::make_shared<Pod>(testing::MakePod(name)), "n1"},
                          absl::PermissionDeniedError(std::string("no, ") + name));
  }
  EXPECT_THAT(log_, ElementsAre("pod default/train-0 cannot be nominated: no, train-0"));
  const auto pod = std::make_shared<Pod>(testing::MakePod("train-0"));
  reports_.OnNomination({pod, "n1"}, absl::OkStatus());
  reports_.OnNomination({pod, "n1"}, absl::PermissionDeniedError("no"));
  EXPECT_THAT(log_, SizeIs(2));
}

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
      "nodes after 30s";
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
            "free would do; nodes are reserved for it");
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
