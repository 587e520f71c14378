// What the scheduler is taken to refuse, and until when.
#include "gang/desk/nominations/memory_refusals_testing.h"

namespace outrigger::desk {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pointee;
using ::testing::SizeIs;

TEST_F(RefusalTest, TakesSilenceBehindANominationForARefusal) {
  MakeBoard board;
  NominateAfterASecond(&board);
  Learn(*board.Make(), kBegin + seconds(5));
  EXPECT_THAT(Prepare(board, kBegin + seconds(5))[0].members[0].refused, IsEmpty());
  Learn(*board.Make(), kBegin + seconds(6));
  EXPECT_THAT(Prepare(board, kBegin + seconds(6))[0].members[0].refused, ElementsAre("n1"));
}

TEST_F(RefusalTest, ASchedulerThatIsAtWorkOnOtherPodsHasMoreTimeToAnswerANomination) {
  MakeBoard board;
  NominateAfterASecond(&board);
  const auto refused_at = [&](int second, int last_call) {
    Inbox::Content content;
    content.last_call = kBegin + seconds(last_call);
    Take(content, kBegin + seconds(second));
    Learn(*board.Make(), kBegin + seconds(second));
    return !Prepare(board, kBegin + seconds(second))[0].members[0].refused.empty();
  };
  EXPECT_FALSE(refused_at(20, 19));
  EXPECT_FALSE(refused_at(40, 39));
  EXPECT_FALSE(refused_at(43, 39));
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(44));
  EXPECT_TRUE(refused_at(44, 39)) << "it has nothing to do, and does not ask";
}

TEST_F(RefusalTest, ASchedulerThatIsAlwaysAtWorkHasToAnswerANominationInTheEnd) {
  MakeBoard board;
  NominateAfterASecond(&board);
  Inbox::Content content;
  content.last_call = kBegin + seconds(61);
  Take(content, kBegin + seconds(61));
  Learn(*board.Make(), kBegin + seconds(61));
  EXPECT_THAT(Prepare(board, kBegin + seconds(61))[0].members[0].refused, ElementsAre("n1"));
}

TEST_F(RefusalTest, ForgetsARefusalWhenTheNodeHasChanged) {
  MakeBoard board;
  board.AddGang("train", 1, 1);
  Learn(*board.Make(), kBegin);
  Refused("uid-train-0", "n1", kBegin);
  EXPECT_THAT(Prepare(board, kBegin)[0].members[0].refused, ElementsAre("n1"));
  cluster_.Put(testing::MakeNode("n1").Label("changed", "yes"));
  snapshot_ = cluster_.Take()->snapshot;
  EXPECT_THAT(Prepare(board, kBegin)[0].members[0].refused, IsEmpty());
}

TEST_F(RefusalTest, AGangThatIsRefusedAgainAndAgainRestsForLongerAndLonger) {
  for (const char* node : {"n2", "n3", "n4", "n5"}) cluster_.Put(testing::MakeNode(node));
  snapshot_ = cluster_.Take()->snapshot;
  MakeBoard board;
  board.AddGang("train", 1, 1);
  Learn(*board.Make(), kBegin);
  Refused("uid-train-0", "n1", kBegin);
  Refused("uid-train-0", "n2", kBegin);
  Refused("uid-train-0", "n2", kBegin);  // told twice
  EXPECT_THAT(Prepare(board, kBegin), SizeIs(1));
  Refused("uid-train-0", "n3", kBegin);
  EXPECT_THAT(Prepare(board, kBegin), IsEmpty());
  ASSERT_THAT(resting_, SizeIs(1));
  EXPECT_EQ(resting_[0].why, "kube-scheduler rejects default/uid-train-0 on n3: taints");
  EXPECT_THAT(Prepare(board, kBegin + seconds(1)), SizeIs(1)) << "a second";
  Refused("uid-train-0", "n4", kBegin + seconds(1));
  EXPECT_THAT(Prepare(board, kBegin + seconds(2)), IsEmpty());
  EXPECT_THAT(Prepare(board, kBegin + seconds(3)), SizeIs(1)) << "two";
}

TEST_F(RefusalTest, MembersThatAreRefusedOnceEachAreNoReasonToRest) {
  MakeBoard board;
  board.AddGang("train", 4, 4);
  Learn(*board.Make(), kBegin);
  for (const char* uid : {"uid-train-0", "uid-train-1", "uid-train-2"}) Refused(uid, "n1", kBegin);
  EXPECT_THAT(Prepare(board, kBegin), SizeIs(1));
}

TEST_F(RefusalTest, WhatWasRefusedBesideWaitersIsForgottenOnceNobodyWaits) {
  MakeBoard board;
  board.AddGang("train", 2, 2);
  board.ChangeMember("train", 0,
                     [](Pod* pod) { pod->topology_spread.emplace_back().topology_key = "zone"; });
  Learn(*board.Make(), kBegin);
  const auto prepare = [&](bool waits) {
    std::vector<plan::Unit> units = board.Units();
    std::map<plan::UnitKey, std::vector<Waiting>> waiters;
    if (waits) waiters[LabelsGang("train")].push_back({"uid-train-1", "n1"});
    resting_.clear();
    memory_.Prepare(waiters, *snapshot_, kBegin, &units, &resting_);
    return units;
  };
  const auto refuse_beside_a_waiter = [&] {
    prepare(/*waits=*/true);
    Refused("uid-train-0", "n1", kBegin);
    return prepare(/*waits=*/true);
  };
  EXPECT_THAT(refuse_beside_a_waiter()[0].members[0].refused, ElementsAre("n1"));
  EXPECT_THAT(prepare(/*waits=*/false)[0].members[0].refused, IsEmpty());
  // Not for ever: after the third time it rests.
  refuse_beside_a_waiter();
  EXPECT_THAT(prepare(/*waits=*/false), SizeIs(1));
  refuse_beside_a_waiter();
  EXPECT_THAT(prepare(/*waits=*/false), IsEmpty());
}

TEST_F(RefusalTest, AConditionThatChangesBehindANominationAgainIsOne) {
  MakeBoard board;
  NominateAfterASecond(&board);
  const std::string late = "0/2 nodes are available: 2 Insufficient cpu.";
  Shows(&board, "n1", late);
  EXPECT_EQ(Told(&board, 2, late), "") << "the cycle may have begun before it: told once more";
  EXPECT_EQ(Told(&board, 2, late), "n1");
  EXPECT_FALSE(IsRefused(&board, 2));
  Shows(&board, "n1", "0/2 nodes: 1 had a taint");
  EXPECT_TRUE(IsRefused(&board, 2));
}

// What the agent answered meanwhile was an error, which is what the condition says.
TEST_F(RefusalTest, WhatIsLeftOfATimeWithoutPlansIsNone) {
  MakeBoard board;
  NominateAfterASecond(&board);
  const std::string late = "0/2 nodes are available: 2 Insufficient cpu.";
  Shows(&board, "n1", late);
  EXPECT_EQ(Told(&board, 2, late), "");
  EXPECT_EQ(Told(&board, 2, late), "n1");
  memory_.Pause(kBegin + seconds(3));
  Take({}, kBegin + seconds(4));
  Shows(&board, "", "extender gang: the cluster cannot be seen");
  EXPECT_FALSE(IsRefused(&board, 4));
}

// Nobody writes what the condition says already.
TEST_F(RefusalTest, TheSameRefusalAgainIsSeenByTheSilenceBehindIt) {
  MakeBoard board;
  NominateAfterASecond(&board);
  const std::string words = "0/2 nodes: 1 had a taint";
  Shows(&board, "n1", words);
  EXPECT_EQ(Told(&board, 2, words), "");
  EXPECT_EQ(Told(&board, 2, words), "n1");
  Inbox::Content content;
  content.last_call = kBegin + seconds(6);
  Take(content, kBegin + seconds(6));
  EXPECT_FALSE(IsRefused(&board, 6));
  EXPECT_TRUE(IsRefused(&board, 7)) << "whatever else the scheduler is at";
}

TEST_F(RefusalTest, ANominationThatOnlySeemedToBeClearedIsFollowed) {
  MakeBoard board;
  NominateAfterASecond(&board);
  Shows(&board, "", "0/2 nodes are available: 2 Insufficient cpu.");  // before it was written
  Learn(*board.Make(), kBegin + seconds(2));
  Shows(&board, "n1", "0/2 nodes are available: 2 Insufficient cpu.");
  EXPECT_FALSE(IsRefused(&board, 3));
  EXPECT_TRUE(IsRefused(&board, 8));
}

// The watch is late with what the desk itself took back.
TEST_F(RefusalTest, ANominationThatWasTakenBackIsNotTakenForWrittenByALateWatch) {
  MakeBoard board;
  NominateAfterASecond(&board);
  const std::string late = "0/2 nodes are available: 2 Insufficient cpu.";
  Shows(&board, "n1", late);
  EXPECT_EQ(Told(&board, 2, late), "");
  Shows(&board, "n1", late);  // still
  EXPECT_FALSE(IsRefused(&board, 2));
  EXPECT_FALSE(IsRefused(&board, 3));
  Shows(&board, "", late);
  EXPECT_EQ(Told(&board, 4, late), "n1") << "it is written a last time, not refused";
  EXPECT_FALSE(IsRefused(&board, 4));
}

// The watch is earlier than the result of that write.
TEST_F(RefusalTest, WhatTheDeskTookBackItselfIsNoSignOfTheScheduler) {
  MakeBoard board;
  NominateAfterASecond(&board);
  Shows(&board, "n1");
  EXPECT_FALSE(IsRefused(&board, 2));
  const auto due = Learn(*board.Make(), kBegin + seconds(3));
  ASSERT_THAT(due, SizeIs(1));
  ASSERT_TRUE(due[0].again);
  memory_.SetUnderWay({"uid-train-0"});
  Shows(&board, "");
  EXPECT_THAT(Learn(*board.Make(), kBegin + seconds(3)), IsEmpty());
  memory_.Nominated(due[0], /*written=*/true, kBegin + seconds(3));
  memory_.SetUnderWay({});
  EXPECT_EQ(Told(&board, 3), "n1");
  Shows(&board, "n1", "0/2 nodes are available: 2 Insufficient cpu.");
  EXPECT_EQ(Told(&board, 4), "") << "the first doubt, so it is no refusal yet";
  EXPECT_FALSE(IsRefused(&board, 4));
}

TEST_F(RefusalTest, ALastChanceIsNotRepeated) {
  MakeBoard board;
  NominateAfterASecond(&board);
  Shows(&board, "n1");
  EXPECT_FALSE(IsRefused(&board, 2));
  Shows(&board, "");
  EXPECT_EQ(Told(&board, 3), "n1");
  EXPECT_EQ(Told(&board, 6), "-");
  EXPECT_TRUE(IsRefused(&board, 8));
}

TEST_F(RefusalTest, ANominationAfterARefusalIsRepeatedAsTheFirstWas) {
  MakeBoard board;
  NominateAfterASecond(&board);
  Shows(&board, "n1");
  EXPECT_EQ(Told(&board, 3), "");
  EXPECT_EQ(Told(&board, 3), "n1");
  ASSERT_TRUE(IsRefused(&board, 8));
  Shows(&board, "");
  EXPECT_FALSE(IsRefused(&board, 38));
  EXPECT_EQ(Told(&board, 38), "n1");
  EXPECT_EQ(Told(&board, 40), "") << "to be repeated";
}

TEST_F(RefusalTest, AConditionWithAReasonOfOursIsNone) {
  MakeBoard board;
  NominateAfterASecond(&board);
  board.ChangeMember("train", 0, [](Pod* pod) {
    pod->unscheduled_message =
        "0/2 nodes are available: 1 gang default/train waits: cpu (see outrigger explain gang).";
  });
  EXPECT_FALSE(IsRefused(&board, 2));
}

TEST_F(RefusalTest, ANominationThatIsClearedAgainIsOne) {
  MakeBoard board;
  NominateAfterASecond(&board);
  Shows(&board, "n1");
  EXPECT_FALSE(IsRefused(&board, 2));
  Shows(&board, "");
  EXPECT_EQ(Told(&board, 3), "n1") << "the cycle may have begun before it: told once more";
  EXPECT_FALSE(IsRefused(&board, 3));
  Shows(&board, "");
  EXPECT_TRUE(IsRefused(&board, 4));
}

// Many calls later a cycle may be late again.
TEST_F(RefusalTest, ANominationThatIsClearedAgainBehindACallIsNone) {
  MakeBoard board;
  NominateAfterASecond(&board);
  Shows(&board, "n1");
  EXPECT_FALSE(IsRefused(&board, 2));
  Shows(&board, "");
  EXPECT_FALSE(IsRefused(&board, 3));
  Asked("uid-train-0", /*rejected=*/true, kBegin + seconds(3));
  EXPECT_EQ(Told(&board, 4), "n1");
  EXPECT_FALSE(IsRefused(&board, 4));
  Shows(&board, "");
  EXPECT_FALSE(IsRefused(&board, 5));
}

TEST_F(RefusalTest, ANominationThatIsOverwrittenByOthersIsNone) {
  EXPECT_FALSE(IsRefusedWhenItBecomes("n2"));
}

// A binding that fails takes the nomination with it: that is no refusal.
TEST_F(RefusalTest, ANominationThatIsClearedAfterThePodPassedIsNone) {
  MakeBoard board;
  NominateAfterASecond(&board);
  board.ChangeMember("train", 0, [](Pod* pod) { pod->nominated_node_name = "n1"; });
  EXPECT_FALSE(IsRefused(&board, 2));
  Asked("uid-train-0", /*rejected=*/false, kBegin + seconds(2));
  board.ChangeMember("train", 0, [](Pod* pod) { pod->nominated_node_name = ""; });
  EXPECT_FALSE(IsRefused(&board, 3));
}

class YoungPlaceTest : public RefusalTest {
 protected:
  YoungPlaceTest() : RefusalTest(NominationOptions()) {}
};

// Such a refusal may be due to pods that the view does not show yet, so it does not count; but it
// has taken the nomination, and nothing else wakes the pod.
TEST_F(YoungPlaceTest, IsAskedForAgainWhereItWasRefused) {
  cluster_.Put(testing::MakeNode("n2"));
  snapshot_ = cluster_.Take()->snapshot;
  MakeBoard board;
  NominateAfterASecond(&board);
  Refused("uid-train-0", "n1", kBegin + seconds(1));  // from now on its places are nominated
  board.PlaceMember("train", 0, "n2");
  EXPECT_EQ(Told(&board, 2), "n2");
  Asked("uid-train-0", /*rejected=*/true, kBegin + seconds(2) + std::chrono::milliseconds(100));
  Refused("uid-train-0", "n2", kBegin + seconds(2) + std::chrono::milliseconds(100));
  Shows(&board, "");
  EXPECT_EQ(Told(&board, 3), "-");
  EXPECT_EQ(Told(&board, 4), "n2");
}

class SpecRefusalTest : public RefusalTest {
 protected:
  explicit SpecRefusalTest(NominationOptions options = UpToDate())
      : RefusalTest(std::move(options)) {
    for (const char* node : {"n2", "n3", "n4"}) cluster_.Put(Node(node));
    cluster_.Put(Node("n1"));
    snapshot_ = cluster_.Take()->snapshot;
    board_.AddGang("train", 2, 2);
    Learn(*board_.Make(), kBegin);
    // Since when the nodes are as they are.
    for (const int ago : {3, 1}) Take({}, kBegin - seconds(ago));
  }
  static outrigger::Node Node(const char* name) {
    return testing::MakeNode(name).Allocatable("cpu", "4").Allocatable("pods", "9");
  }
  // In the one attempt in which n1 was refused, only these passed.
  void RefusedBut(std::vector<std::string> passed, Time at = kBegin) {
    Inbox inbox;
    inbox.Refused({.pod = "default/uid-train-0",
                   .uid = "uid-train-0",
                   .node = "n1",
                   .why = "own",
                   .passed = std::move(passed)});
    Take(inbox.Take(), at);
  }
  std::vector<std::string> RefusedToSpec(size_t member, Time at = kBegin) {
    const auto units = Prepare(board_, at);
    const auto& nodes = units.at(0).members.at(member).refused_to_spec;
    return nodes == nullptr ? std::vector<std::string>() : *nodes;
  }

  MakeBoard board_;
};

// A filter that no plan knows passes two of many nodes.
TEST_F(SpecRefusalTest, WhatDidNotPassInOneAttemptIsRefusedToAllMembersOfTheSpec) {
  RefusedBut({"n4"});
  for (const size_t member : {0U, 1U}) {
    EXPECT_THAT(RefusedToSpec(member), ElementsAre("n1", "n2", "n3"));
  }
  EXPECT_THAT(RefusedToSpec(1, kBegin + seconds(59)), SizeIs(3));
  EXPECT_THAT(RefusedToSpec(1, kBegin + seconds(60)), IsEmpty());
}

// There the scheduler saw less room than is free.
TEST_F(SpecRefusalTest, ANodeWhereAnotherHasAPlaceDidNotPassForThatReason) {
  board_.AddGang("other", 1, 1);
  board_.PlaceMember("other", 0, "n2");
  Learn(*board_.Make(), kBegin);
  RefusedBut({"n4"});
  EXPECT_THAT(Prepare(board_, kBegin).at(1).members.at(1).refused_to_spec,
              Pointee(ElementsAre("n1", "n3")));
}

// Pods that were there when the scheduler tried it may have gone.
TEST_F(SpecRefusalTest, ANodeOnWhichPodsHaveChangedAMomentAgoIsNot) {
  cluster_.Put(testing::MakePod("new").Requests({{"cpu", "1"}}).On("n2"));
  snapshot_ = cluster_.Take()->snapshot;
  RefusedBut({"n4"});
  EXPECT_THAT(RefusedToSpec(1), ElementsAre("n1", "n3"));
}

TEST_F(SpecRefusalTest, PodsThatComeAndGoDoNotOpenANodeAgain) {
  RefusedBut({"n4"});
  cluster_.Put(testing::MakePod("new").Requests({{"cpu", "1"}}).On("n2"));
  snapshot_ = cluster_.Take()->snapshot;
  EXPECT_THAT(RefusedToSpec(1), ElementsAre("n1", "n2", "n3"));
}

class SamplingTest : public SpecRefusalTest {
 protected:
  static NominationOptions Sampling() {
    NominationOptions options = UpToDate();
    options.samples_nodes = true;
    return options;
  }
  SamplingTest() : SpecRefusalTest(Sampling()) {}
};

TEST_F(SamplingTest, OfFewNodesTheSchedulerTriesAllOfManyAPart) {
  RefusedBut({"n4"});
  EXPECT_THAT(RefusedToSpec(1), SizeIs(3));
  for (int i = 0; i < 100; ++i) cluster_.Put(Node(("more-" + std::to_string(i)).c_str()));
  snapshot_ = cluster_.Take()->snapshot;
  for (const int later : {61, 63}) Take({}, kBegin + seconds(later));
  RefusedBut({"n4"}, kBegin + seconds(64));
  EXPECT_THAT(RefusedToSpec(1, kBegin + seconds(64)), ElementsAre("n1"));
  RefusedBut({}, kBegin + seconds(200));
  EXPECT_THAT(RefusedToSpec(1, kBegin + seconds(200)), SizeIs(104));
}

class SpreadingTest : public SpecRefusalTest {
 protected:
  static NominationOptions Spreading() {
    NominationOptions options = UpToDate();
    const Pod any = testing::MakePod();
    options.spreading = {any.scheduler_name};
    return options;
  }
  SpreadingTest() : SpecRefusalTest(Spreading()) {}
};

TEST_F(SpreadingTest, WhereDefaultConstraintsJudgeANodeByOtherPodsNothingIsShared) {
  RefusedBut({"n4"});
  EXPECT_THAT(RefusedToSpec(1), IsEmpty());
}

TEST_F(SpecRefusalTest, OneNodeAloneIsIfMoreIsNotKnown) {
  Refused("uid-train-0", "n1", kBegin);
  EXPECT_THAT(RefusedToSpec(1), ElementsAre("n1"));
}

TEST_F(SpecRefusalTest, ANodeIsTriedAgainOnceItHasChanged) {
  RefusedBut({"n4"});
  cluster_.Put(static_cast<outrigger::Node>(testing::MakeNode("n2").Label("changed", "yes")));
  snapshot_ = cluster_.Take()->snapshot;
  EXPECT_THAT(RefusedToSpec(1), ElementsAre("n1", "n3"));
}

TEST_F(SpecRefusalTest, AMemberOfAnotherSpecIsNotRefused) {
  for (const auto& change : std::vector<std::function<void(Pod*)>>{
           [](Pod* pod) { pod->node_selector.Set("disk", "ssd"); },
           [](Pod* pod) {
             pod->host_ports = {{"", "TCP", 81}};
           },
           [](Pod* pod) { pod->labels.Set("role", "worker"); }}) {
    board_.ChangeMember("train", 0, [](Pod* pod) { pod->host_ports = {{"", "TCP", 80}}; });
    board_.ChangeMember("train", 1, change);
    Learn(*board_.Make(), kBegin);
    RefusedBut({"n4"});
    EXPECT_THAT(RefusedToSpec(0), ElementsAre("n2", "n3")) << "another has its place on n1";
    EXPECT_THAT(RefusedToSpec(1), IsEmpty());
  }
}

// Of one controller labels only number the pods.
TEST_F(SpecRefusalTest, MembersOfOneControllerAreOfOneSpecWhateverTheirLabels) {
  for (const size_t member : {0U, 1U}) {
    board_.ChangeMember("train", member, [member](Pod* pod) {
      pod->labels.Set("batch.kubernetes.io/job-completion-index", std::to_string(member));
      pod->controller = OwnerReference{"Job", "train", "uid-of-job"};
    });
  }
  Learn(*board_.Make(), kBegin);
  RefusedBut({"n4"});
  EXPECT_THAT(RefusedToSpec(1), SizeIs(3));
}

TEST_F(SpecRefusalTest, AMemberThatIsJudgedByOtherPodsOrItsVolumesIsNot) {
  for (const auto& change : std::vector<std::function<void(Pod*)>>{
           [](Pod* pod) { pod->topology_spread.emplace_back().topology_key = "zone"; },
           [](Pod* pod) { pod->claims = {"data"}; },
           [](Pod* pod) { pod->resource_claims = {"gpu"}; },
           [](Pod* pod) { pod->affinity.required_pod_anti.emplace_back(); }}) {
    for (const size_t member : {0U, 1U}) {
      board_.ChangeMember("train", member, [](Pod* pod) {
        pod->topology_spread.clear();
        pod->claims.clear();
        pod->resource_claims.clear();
        pod->affinity = {};
      });
      board_.ChangeMember("train", member, change);
    }
    Learn(*board_.Make(), kBegin);
    RefusedBut({"n4"});
    EXPECT_THAT(RefusedToSpec(1), IsEmpty());
  }
}

TEST_F(SpecRefusalTest, TheSchedulersWordsAreThoseOfTheGang) {
  RefusedBut({"n4"});
  board_.ChangeMember("train", 0, [](Pod* pod) {
    pod->unscheduled_message =
        "0/4 nodes are available: 1 gang default/train waits: cpu, after it gave up its nodes (see "
        "outrigger explain gang), 3 node(s) didn't match scheduler-enforced node affinity. "
        "preemption: 0/4 nodes are available: 4 no.";
  });
  EXPECT_EQ(Prepare(board_, kBegin)[0].refusal,
            "refused by kube-scheduler: node(s) didn't match scheduler-enforced node affinity");
}

}  // namespace
}  // namespace outrigger::desk
