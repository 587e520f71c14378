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
  EXPECT_THAT(event.note, HasSubstr("bound in part: 2 of 3 members run; the rest is evicted"));
}

TEST_F(ReportsTest, TellOfAGangThatGaveUpItsPlaces) {
  board_.AddGang("train", 2, 2);
  OnPlan(kBegin, {}, {{LabelsGang("train"), seconds(30)}});
  EXPECT_EQ(counted_.values["timeouts_total "], 1);
  ASSERT_THAT(cluster_.events(), SizeIs(1));
  EXPECT_EQ(cluster_.events()[0].reason, "GangTimedOut");
  EXPECT_THAT(cluster_.events()[0].note, HasSubstr("not complete within 30s of getting places"));
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
  EXPECT_EQ(log_.back(), "gang default/train waits no longer: its members are bound");
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

}  // namespace
}  // namespace outrigger::gang
