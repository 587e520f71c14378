#include "gang/desk/calls/admission.h"

#include "board_testing.h"
#include "gmock/gmock.h"

namespace outrigger::desk {
namespace {

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
    outcome_ = Admit(*board_.Make(), *request, verdicts, &moves_).outcome;
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

  MakeBoard board_;
  PlaceMoves moves_;
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
              ElementsAre("gang default/train waits: kube-scheduler did not offer its node (see "
                          "outrigger explain gang)",
                          kLeftOut));
  EXPECT_EQ(outcome_, Outcome::kNotOffered);
}

TEST_F(AdmissionTest, AMemberWhoseNodeIsNotOfferedGetsAnEqualOne) {
  board_.AddGang("train", 1, 1);
  board_.PutNode(MakeNode("n3"));
  EXPECT_THAT(Ask(Member("train-0"), {MakeNode("n2"), MakeNode("n3")}),
              ElementsAre(kLeftOut, "fits"))
      << "the view does not have n2";
  EXPECT_EQ(outcome_, Outcome::kMoved);
}

// A gang of one member of 1 cpu, with its place on n1, and another node that is offered alone.
struct OtherNode {
  const char* name;
  std::function<void(MakeBoard* board, Node* other)> change;
  bool is_equal = false;
};

class EqualPlace : public AdmissionTest, public ::testing::WithParamInterface<OtherNode> {};

TEST_P(EqualPlace, IsTaken) {
  board_.AddGang("train", 1, 1, "1");
  Node other = MakeNode("n2");
  GetParam().change(&board_, &other);
  board_.PutNode(other);
  Ask(Member("train-0"), {other});
  EXPECT_EQ(outcome_, GetParam().is_equal ? Outcome::kMoved : Outcome::kNotOffered);
}

void Occupy(MakeBoard* board, const char* cpu) {
  Pod pod = MakePod("there").Requests({{"cpu", cpu}});
  pod.node_name = "n2";
  board->PutPod(pod);
}

const OtherNode kOtherNodes[] = {
    {"Alike", [](MakeBoard*, Node*) {}, true},
    {"OfAboutItsSize",
     [](MakeBoard*, Node* node) { node->allocatable.Set("cpu", *Quantity::Parse("3800m")); }, true},
    {"WithRoomBesideAnotherPod", [](MakeBoard* board, Node*) { Occupy(board, "3"); }, true},
    {"WhereItsOwnGangHasAPlace",
     [](MakeBoard* board, Node*) {
       board->AddGang("train", 1, 2, "1");
       board->PlaceMember("train", 1, "n2");
     },
     true},
    {"Full", [](MakeBoard* board, Node*) { Occupy(board, "3500m"); }},
    {"HalfAsLarge",
     [](MakeBoard*, Node* node) { node->allocatable.Set("cpu", *Quantity::Parse("2")); }},
    {"WithGpus",
     [](MakeBoard*, Node* node) { node->allocatable.Set("nvidia.com/gpu", Quantity::FromInt(8)); }},
    {"OfAnotherZone",
     [](MakeBoard*, Node* node) { node->labels.Set("topology.kubernetes.io/zone", "b"); }},
    {"OfAnotherRegion",
     [](MakeBoard*, Node* node) { node->labels.Set("topology.kubernetes.io/region", "b"); }},
    {"WithoutSomethingOfItsPlace",
     [](MakeBoard* board, Node*) {
       board->PutNode(MakeNode("n1").Allocatable("nvidia.com/gpu", "8"));
     }},
    {"SevenEighthsAsLarge",
     [](MakeBoard*, Node* node) { node->allocatable.Set("cpu", *Quantity::Parse("3500m")); }},
    {"WhereItsOwnGangHasAllRoom",
     [](MakeBoard* board, Node*) {
       board->AddGang("train", 1, 2, "1");
       board->PlaceMember("train", 1, "n2");
       board->ChangeMember("train", 1, [](Pod* pod) { pod->nominated_node_name = "n2"; });
       Occupy(board, "3");
     }},
    {"WhereAMemberThatAsksForMoreHasAPlace",
     [](MakeBoard* board, Node*) {
       board->AddGang("other", 1, 1, "2");
       board->PlaceMember("other", 0, "n2");
     }},
    {"KeptForAnotherGang", [](MakeBoard* board, Node*) { board->Keep("n2", "train"); }},
    {"OfAGangWithASpreadConstraint",
     [](MakeBoard* board, Node*) {
       board->ChangeMember("train", 0,
                           [](Pod* pod) { pod->topology_spread.emplace_back().max_skew = 1; });
     }},
    {"OfAGangWithAPodAntiAffinity",
     [](MakeBoard* board, Node*) {
       board->ChangeMember("train", 0,
                           [](Pod* pod) { pod->affinity.required_pod_anti.emplace_back(); });
     }},
    {"OfAGangThatWantsOneRack",
     [](MakeBoard* board, Node*) {
       board->Wish("train", {{}, {"rack"}, {}});
     }},
    {"OfAGangWithOpenClaims", [](MakeBoard* board, Node*) { board->OpenClaims("train", true); }},
};

INSTANTIATE_TEST_SUITE_P(Of, EqualPlace, ::testing::ValuesIn(kOtherNodes),
                         [](const auto& info) { return info.param.name; });

TEST_F(AdmissionTest, AMemberThatIsNominatedForAPlaceGetsNoOther) {
  board_.AddGang("train", 1, 1);
  board_.PutNode(MakeNode("n2"));
  Pod member = Member("train-0");
  member.nominated_node_name = "n1";
  Ask(member, {MakeNode("n2")});
  EXPECT_EQ(outcome_, Outcome::kNotOffered) << "kube-scheduler refuses it";
}

TEST_F(AdmissionTest, AMemberOverTheMinimumWithoutAPlaceWaits) {
  board_.AddGang("train", 1, 2);
  board_.Surplus("train", 1);
  EXPECT_THAT(Ask(Member("train-0")), ElementsAre("fits", kLeftOut, kLeftOut));
  EXPECT_THAT(Ask(Member("train-1")), ElementsAre("gang default/train waits: room for more members "
                                                  "than its minimum (see outrigger explain gang)",
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

// Which node it gets is kube-scheduler's choice.
TEST_F(AdmissionTest, ASinglePodThatIsLetGoPassesWhereNoUnitBeforeItLosesItsPlace) {
  board_.Hold();
  board_.AddGang("train", 1, 1, "4");
  board_.AddSingle(Single("first", "1"), "n2");
  board_.AddSingle(Single("second", "1"));
  EXPECT_THAT(
      Ask(Single("first", "1")),
      ElementsAre("reserved for gang default/train (see outrigger explain queue)", "fits", "fits"));
  EXPECT_EQ(outcome_, Outcome::kPasses);
  EXPECT_THAT(Ask(Single("second", "1")),
              ElementsAre("waits for pod default/first with groupPriority 0 (see outrigger explain "
                          "queue)",
                          kLeftOut, kLeftOut));
  EXPECT_EQ(outcome_, Outcome::kWaits);
}

TEST_F(AdmissionTest, ASinglePodPassesNoNodeThatIsKeptForAUnitBeforeIt) {
  board_.Hold();
  board_.AddGang("train", 2, 2);
  board_.Refuse("train", "cpu");
  board_.Keep("n2", "train");
  board_.AddSingle(Single("first", "1"), "n1");
  EXPECT_THAT(
      Ask(Single("first", "1")),
      ElementsAre("fits", "reserved for gang default/train (see outrigger explain queue)", "fits"));
  Ask(Single("first", "1"), {MakeNode("n2")});
  EXPECT_EQ(outcome_, Outcome::kNotOffered);
}

TEST_F(AdmissionTest, APodThatNoPlanHasSeenPassesWhileNoneBeforeItWaitsForAPlace) {
  board_.Hold();
  board_.AddSingle(Single("first", "1"), "n1");
  Pod unseen = Single("unseen", "1");
  unseen.priority = -2;
  EXPECT_THAT(Ask(unseen), ElementsAre("fits", "fits", "fits"));
  board_.AddSingle(Single("second", "1"));
  EXPECT_THAT(Ask(unseen)[1], kLeftOut);
  unseen.labels.Set("groupPriority", "1");
  EXPECT_THAT(Ask(unseen), ElementsAre("fits", "fits", "fits"))
      << "it comes before the one that waits";
}

// kube-scheduler goes by priority, and would give it the place of the first.
TEST_F(AdmissionTest, APodThatNoPlanHasSeenWaitsForOneOfALowerPriorityBeforeIt) {
  board_.Hold();
  Pod first = Single("first", "1");
  first.priority = 3;
  board_.AddSingle(first, "n1");
  Pod unseen = Single("unseen", "1");
  unseen.labels.Set("groupPriority", "-1");
  unseen.priority = 3;
  EXPECT_THAT(Ask(unseen), ElementsAre("fits", "fits", "fits"));
  unseen.priority = 4;
  EXPECT_THAT(Ask(unseen)[1], kLeftOut);
}

TEST_F(AdmissionTest, APodThatIsNeverHeldPassesBeforeAllThatWait) {
  board_.Hold();
  board_.AddSingle(Single("first", "1"));
  Pod critical = Single("critical", "2");
  critical.priority = 2'000'000'000;
  EXPECT_THAT(Ask(critical), ElementsAre("fits", "fits", "fits"));
}

// The scheduler asks twice, as preemption and other simulations do: the second answer is the first.
TEST_F(AdmissionTest, ACallThatIsRepeatedHasTheSameAnswer) {
  board_.Hold();
  board_.AddGang("train", 1, 1, "3");
  const Pod single = Single("single", "1");
  for (const Pod& pod : {Member("train-0"), single, Member("stranger")}) {
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
      "gang default/train waits: cpu, after it gave up its nodes (see outrigger explain gang)");
}

}  // namespace
}  // namespace outrigger::desk
