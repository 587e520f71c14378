#include "outrigger/desk/admission.h"

#include "board_testing.h"
#include "gmock/gmock.h"

namespace outrigger::desk {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using testing::MakeNode;
using testing::MakePod;
using testing::OwnedRequest;
using Outcome = Admission::Outcome;

constexpr const char* kLeftOut = "left out";

class AdmissionTest : public ::testing::Test {
 protected:
  // What filter says of each of the nodes: "fits", "left out", or the reason.
  std::vector<std::string> Ask(const Pod& pod, const std::vector<Node>& nodes) {
    const OwnedRequest request(pod, nodes);
    std::vector<Verdict> verdicts(nodes.size());
    outcome_ = Admit(*board_.Make(), *request, &tentative_, verdicts).outcome;
    std::vector<std::string> texts;
    for (const Verdict& verdict : verdicts) {
      const bool left_out = verdict.kind() == Verdict::Kind::kLeftOut;
      texts.push_back(verdict.fits() ? "fits" : left_out ? kLeftOut : verdict.reason());
    }
    return texts;
  }
  std::vector<std::string> Ask(const Pod& pod) {
    return Ask(pod, {MakeNode("n1"), MakeNode("n2"), MakeNode("n3")});
  }
  // A pod without a group that comes behind all gangs.
  static Pod Single(std::string_view name, std::string_view cpu) {
    Pod pod = MakePod(name).Requests({{"cpu", cpu}});
    pod.priority = -1;
    return pod;
  }
  static Pod Member(const std::string& name, const std::string& minimum = "1") {
    return MakePod(name).Label("podGroup", "train").Label("minAvailable", minimum);
  }
  static NodeSelectorTerm NodeNamed(SelectorOperator op, std::vector<std::string> names,
                                    const std::string& key = "metadata.name") {
    NodeSelectorTerm term;
    term.match_fields.push_back({key, op, std::move(names)});
    return term;
  }

  TentativeUses::Time now_ = TentativeUses::Time() + std::chrono::hours(1);
  TentativeUses tentative_{[this] { return now_; }};
  MakeBoard board_;
  Outcome outcome_ = Outcome::kPasses;
};

TEST_F(AdmissionTest, AMemberGetsItsReservedNodeOutOfAnyOffer) {
  board_.AddGang("train", 1, 1);
  EXPECT_THAT(Ask(Member("train-0")), ElementsAre("fits", kLeftOut, kLeftOut));
  EXPECT_EQ(outcome_, Outcome::kReserved);
  EXPECT_THAT(Ask(Member("train-0"), {MakeNode("n1")}), ElementsAre("fits"))
      << "the scheduler looks at a nominated node alone first";
}

TEST_F(AdmissionTest, AMemberWhoseNodeIsNotOfferedIsToldSo) {
  board_.AddGang("train", 1, 1);
  EXPECT_THAT(Ask(Member("train-0"), {MakeNode("n2"), MakeNode("n3")}),
              ElementsAre("gang default/train waits: its place was not offered (see outrigger "
                          "explain gang)",
                          kLeftOut));
  EXPECT_EQ(outcome_, Outcome::kNotOffered);
}

TEST_F(AdmissionTest, AMemberOverTheMinimumWithoutAPlaceWaits) {
  board_.AddGang("train", 1, 2);
  board_.Surplus("train", 1);
  EXPECT_THAT(Ask(Member("train-0")), ElementsAre("fits", kLeftOut, kLeftOut));
  EXPECT_THAT(Ask(Member("train-1")),
              ElementsAre("gang default/train waits: room for more than its minimum (see outrigger "
                          "explain gang)",
                          kLeftOut, kLeftOut));
}

TEST_F(AdmissionTest, AMemberOfAGangThatRestsIsToldWhatTheSchedulerRefused) {
  board_.AddGang("train", 1, 1);
  board_.Rest("train", "kube-scheduler refuses default/train-0 on n1: taints");
  EXPECT_THAT(Ask(Member("train-0")),
              ElementsAre("gang default/train waits: kube-scheduler refuses default/train-0 on n1: "
                          "taints (see outrigger explain gang)",
                          kLeftOut, kLeftOut));
}

TEST_F(AdmissionTest, AMemberThatNoPlanHasSeenWaitsForTheNextPlan) {
  EXPECT_THAT(Ask(Member("train-0", "2")),
              ElementsAre("gang default/train waits: members (see outrigger explain gang)",
                          kLeftOut, kLeftOut));
}

TEST_F(AdmissionTest, APodThatIsNotPlannedPassesWhereverGangsHavePlaces) {
  board_.AddGang("train", 1, 1, "4");
  board_.Keep("n2", "train");
  EXPECT_THAT(Ask(Single("single", "1")), ElementsAre("fits", "fits", "fits"));
  EXPECT_EQ(outcome_, Outcome::kPasses);
}

TEST_F(AdmissionTest, MembersOfAGroupThatIsLeftToTheSchedulerPassAsPodsWithoutAGroup) {
  board_.AddGang("train", 2, 0);
  board_.Change("train",
                [](plan::GroupState* group) { group->cause = plan::GroupCause::kLeftToScheduler; });
  EXPECT_THAT(Ask(Member("train-0", "2")), ElementsAre("fits", "fits", "fits"));
}

TEST_F(AdmissionTest, WhatPassesOnAReservedNodeIsUsedUntilItsBindCall) {
  board_.Hold();
  board_.AddGang("train", 1, 1, "3");  // one cpu of n1 is left
  const Pod one = Single("one", "1");
  const Pod other = Single("other", "1");
  EXPECT_THAT(Ask(one, {MakeNode("n1")}), ElementsAre("fits"));
  Ask(other, {MakeNode("n1")});
  EXPECT_EQ(outcome_, Outcome::kWaits);
  tentative_.End("uid-one");
  EXPECT_THAT(Ask(other, {MakeNode("n1")}), ElementsAre("fits"));
}

TEST_F(AdmissionTest, AUseEndsWithTheFirstPlanWithoutThePod) {
  board_.Hold();
  board_.AddGang("train", 1, 1, "3");
  const Pod one = Single("one", "1");
  const Pod other = Single("other", "1");
  for (const bool seen : {false, true}) {
    tentative_.Note(one.uid, PodRequests(one), {"n1"}, seen);
    tentative_.OnPlan(*board_.Make(), {});  // it is bound, or the watch has not shown it yet
    Ask(other, {MakeNode("n1")});
    EXPECT_EQ(outcome_, seen ? Outcome::kPasses : Outcome::kWaits);
  }
}

TEST_F(AdmissionTest, AUseOfAPodThatNoPlanHasSeenWaitingEndsWithItsBinding) {
  board_.Hold();
  board_.AddGang("train", 1, 1, "3");
  const Pod one = Single("one", "1");
  const Pod other = Single("other", "1");
  Ask(one, {MakeNode("n1")});
  Pod bound = one;
  bound.node_name = "n1";
  const std::vector<PodPtr> pods = {std::make_shared<const Pod>(bound)};
  tentative_.OnPlan(*board_.Make(), pods);
  Ask(other, {MakeNode("n1")});
  EXPECT_EQ(outcome_, Outcome::kPasses);
}

TEST_F(AdmissionTest, AUseThatIsNeverBoundEndsAfterHalfAMinute) {
  board_.Hold();
  board_.AddGang("train", 1, 1, "3");
  const Pod one = Single("one", "1");
  const Pod other = Single("other", "1");
  Ask(one, {MakeNode("n1")});
  now_ += seconds(29);
  Ask(other, {MakeNode("n1")});
  EXPECT_EQ(outcome_, Outcome::kWaits);
  now_ += seconds(1);
  Ask(other, {MakeNode("n1")});
  EXPECT_EQ(outcome_, Outcome::kPasses);
}

TEST_F(AdmissionTest, AClockThatGoesBackwardsKeepsUsesForLonger) {
  board_.Hold();
  board_.AddGang("train", 1, 1, "3");
  Ask(Single("one", "1"), {MakeNode("n1")});
  now_ -= seconds(20);
  Ask(Single("other", "1"), {MakeNode("n1")});
  EXPECT_EQ(outcome_, Outcome::kWaits);
}

// The scheduler asks twice, as preemption and other simulations do: the second answer is the first.
TEST_F(AdmissionTest, ACallThatIsRepeatedHasTheSameAnswer) {
  board_.Hold();
  board_.AddGang("train", 1, 1, "3");
  const Pod single = Single("single", "1");
  const Pod large = Single("large", "2");
  for (const Pod& pod : {Member("train-0"), single, large, Member("stranger")}) {
    const auto first = Ask(pod);
    for (int again = 0; again < 3; ++again) EXPECT_EQ(Ask(pod), first) << pod.name;
  }
}

TEST_F(AdmissionTest, AnAnswerHasOneReasonHoweverManyNodesThereAre) {
  board_.AddGang("train", 2, 2);
  board_.Refuse("train", "cpu");
  const std::vector<Node> nodes(1000, MakeNode("n"));
  const auto texts = Ask(Member("train-0", "2"), nodes);
  EXPECT_EQ(texts[0], "gang default/train waits: cpu (see outrigger explain gang)");
  EXPECT_EQ(std::count(texts.begin(), texts.end(), kLeftOut), 999);
}

TEST_F(AdmissionTest, AMemberOfAGangThatGaveUpItsPlacesIsToldSo) {
  board_.AddGang("train", 1, 1);
  board_.Refuse("train", "cpu");
  board_.Turn("train", 1);
  EXPECT_EQ(
      Ask(Member("train-0"))[0],
      "gang default/train waits: cpu, after it gave up its places (see outrigger explain gang)");
}

class SteerTest : public AdmissionTest {
 protected:
  // Scores of n1, which is reserved, and n2.
  std::pair<double, double> Scores(const std::string& pod) {
    const OwnedRequest request(MakePod(pod), {MakeNode("n1"), MakeNode("n2")});
    std::vector<NodeScore> scores(2);
    Steer(*board_.Make(), *request, scores);
    return {scores[0].value, scores[1].value};
  }
};

TEST_F(SteerTest, SinglesGoToNodesWithoutReservationsAndWhereTheyArePlanned) {
  board_.AddSingle(MakePod("anywhere"), "n2");
  board_.AddSingle(MakePod("beside"), "n1");
  EXPECT_EQ(Scores("anywhere"), std::pair(0.0, 0.0)) << "nothing is reserved";
  board_.AddGang("train", 1, 1);
  const auto [reserved, free] = Scores("unseen");
  EXPECT_LT(reserved, free);
  EXPECT_GT(Scores("anywhere").second, free);
  EXPECT_GT(Scores("beside").first, Scores("beside").second);
}

TEST_F(SteerTest, SinglesGoToNodesThatAreNotKeptForAnybody) {
  board_.AddGang("train", 2, 2);
  board_.Refuse("train", "cpu");
  board_.Keep("n1", "train");
  EXPECT_LT(Scores("before").first, Scores("before").second);
}

// It may take another node than the plan has for it; until it is bound, there is as much less room.
TEST_F(AdmissionTest, WhatAPodThatIsNeverHeldMayTakeIsKeptFromThoseAfterIt) {
  Pod first = Single("first", "1");
  first.priority = 5;
  const Pod second = Single("second", "2");
  board_.AddSingle(first, "n1");
  board_.AddSingle(second, "n1");
  board_.Hold();
  Pod critical = Single("critical", "2");
  critical.priority = 2'000'000'000;
  EXPECT_THAT(Ask(second, {MakeNode("n1")}), ElementsAre("fits"));
  EXPECT_THAT(Ask(critical, {MakeNode("n1")}), ElementsAre("fits"));
  EXPECT_THAT(Ask(second, {MakeNode("n1")}), ElementsAre(::testing::HasSubstr("waits")));
  tentative_.End(critical.uid);
  EXPECT_THAT(Ask(second, {MakeNode("n1")}), ElementsAre("fits"));
}

}  // namespace
}  // namespace outrigger::desk
