// What becomes of nominations where the scheduler makes no calls: all is read from the view.
#include <string>
#include <vector>

#include "gang/desk/nominations/life_signs.h"
#include "gang/desk/nominations/memory_testing.h"

namespace outrigger::desk {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

NominationOptions Alone() {
  NominationOptions options;
  options.mode = Mode::kAlone;
  return options;
}

class MemoryAloneTest : public MemoryTest {
 protected:
  MemoryAloneTest() : MemoryTest(Alone()) {}

  void AddGated(const std::string& name, size_t members) {
    board_.AddGang(name, static_cast<int64_t>(members), members, "1");
    for (size_t i = 0; i < members; ++i) {
      board_.ChangeMember(name, i, [](Pod* pod) {
        pod->scheduling_gates.emplace_back("outrigger.dev/queue");
        pod->unscheduled_reason = "SchedulingGated";
        pod->never_preempts = true;
      });
    }
  }
  void Release(const std::string& name, size_t member) {
    board_.ChangeMember(name, member, [](Pod* pod) { pod->scheduling_gates.clear(); });
  }
  void Show(const std::string& name, size_t member, const std::string& node) {
    board_.ChangeMember(name, member, [&](Pod* pod) { pod->nominated_node_name = node; });
  }
  void Reject(const std::string& name, size_t member, const std::string& message) {
    board_.ChangeMember(name, member, [&](Pod* pod) {
      pod->unscheduled_reason = "Unschedulable";
      pod->unscheduled_message = message;
    });
  }
  void Write(const std::vector<Nomination>& due, Time now) {
    for (const Nomination& nomination : due) memory_.Nominated(nomination, /*written=*/true, now);
  }
  std::vector<std::string> Plan(Time now) {
    Prepare(board_, now);
    std::vector<std::string> texts;
    due_ = memory_.Learn(*board_.Make(), *snapshot_, now);
    for (const Nomination& one : due_) texts.push_back(one.pod->name + ":" + one.node);
    return texts;
  }
  std::vector<std::string> Refused(const std::string& gang, size_t member, Time now) {
    for (const plan::Unit& unit : Prepare(board_, now)) {
      if (unit.key == LabelsGang(gang)) return unit.members[member].refused;
    }
    return {};
  }
  // A gang of which all are nominated for n1 since the beginning, and released a second later.
  void Released(const std::string& name, size_t members) {
    AddGated(name, members);
    Plan(kBegin);
    Write(due_, kBegin);
    for (size_t i = 0; i < members; ++i) Show(name, i, "n1");
    Plan(kBegin + milliseconds(10));
    for (size_t i = 0; i < members; ++i) Release(name, i);
    Plan(kReleased);
  }
  static inline const Time kReleased = kBegin + seconds(1);

  MakeBoard board_;
  std::vector<Nomination> due_;
};

// The nomination was there before the first attempt, which can only have looked at its node.
TEST_F(MemoryAloneTest, TheFirstRejectionAfterItsReleaseIsARefusal) {
  Released("train", 2);
  Reject("train", 1, "0/1 nodes are available: 1 node(s) had volume node affinity conflict.");
  Plan(kReleased + milliseconds(50));
  EXPECT_THAT(Refused("train", 1, kReleased + milliseconds(51)), ElementsAre("n1"));
  EXPECT_THAT(Refused("train", 0, kReleased + milliseconds(51)), IsEmpty());
}

// It may be of an attempt that had begun before the nomination: it is made once more.
TEST_F(MemoryAloneTest, ARejectionOfAPodThatWasNeverGatedIsNoRefusalYet) {
  AddGated("train", 1);
  Release("train", 0);
  Plan(kBegin);
  Write(due_, kBegin);
  Show("train", 0, "n1");
  Plan(kBegin + milliseconds(10));
  Reject("train", 0, "0/1 nodes are available: 1 Insufficient cpu.");
  EXPECT_THAT(Plan(kBegin + seconds(1)), ElementsAre("train-0:"));
  EXPECT_THAT(Refused("train", 0, kBegin + seconds(1)), IsEmpty());
}

// Where it is still in the scheduler's queue nothing can be learnt from its silence.
TEST_F(MemoryAloneTest, APodThatWasNotTriedYetIsNotTakenForRefused) {
  Released("train", 1);
  EXPECT_THAT(Plan(kReleased + seconds(30)), IsEmpty());
  EXPECT_THAT(Refused("train", 0, kReleased + seconds(30)), IsEmpty());
  Plan(kReleased + seconds(61));
  EXPECT_THAT(Refused("train", 0, kReleased + seconds(61)), ElementsAre("n1"))
      << "not for ever, all the same";
}

// It may refuse in the same words as before, which shows nowhere.
TEST_F(MemoryAloneTest, AnIdleSchedulersSilenceIsARefusal) {
  AddGated("train", 1);
  Release("train", 0);
  Reject("train", 0, "0/1 nodes are available: 1 Insufficient cpu.");
  Plan(kBegin);
  Write(due_, kBegin);
  Show("train", 0, "n1");
  EXPECT_THAT(Plan(kBegin + milliseconds(10)), IsEmpty());
  const Time repeat = kBegin + milliseconds(10) + options_.repeat_after;
  EXPECT_THAT(Plan(repeat), ElementsAre("train-0:")) << "to wake it";
  Write(due_, repeat);
  Show("train", 0, "");
  EXPECT_THAT(Plan(repeat + milliseconds(10)), ElementsAre("train-0:n1"));
  Write(due_, repeat + milliseconds(10));
  Show("train", 0, "n1");
  Plan(repeat + milliseconds(20));
  Plan(repeat + seconds(4));
  EXPECT_THAT(Refused("train", 0, repeat + seconds(4)), IsEmpty());
  Plan(repeat + milliseconds(20) + options_.nomination_grace);
  EXPECT_THAT(Refused("train", 0, repeat + seconds(6)), ElementsAre("n1"));
  EXPECT_THAT(memory_.TakeTimedOut(), IsEmpty());
}

TEST_F(MemoryAloneTest, ASchedulerThatIsAtWorkOnOthersHasItsTime) {
  AddGated("train", 1);
  Release("train", 0);
  Reject("train", 0, "0/1 nodes are available: 1 Insufficient cpu.");
  Plan(kBegin);
  Write(due_, kBegin);
  Show("train", 0, "n1");
  Plan(kBegin);
  for (int second = 1; second < 20; ++second) {
    memory_.SeeWork(kBegin + seconds(second));
    EXPECT_THAT(Plan(kBegin + seconds(second)), IsEmpty()) << second;
  }
  EXPECT_THAT(Refused("train", 0, kBegin + seconds(20)), IsEmpty());
}

// What it writes about other pods is a sign, too.
TEST_F(MemoryAloneTest, RejectionsOfOtherPodsShowThatItIsAtWork) {
  AddGated("other", 1);
  Release("other", 0);
  AddGated("train", 1);
  Release("train", 0);
  Reject("train", 0, "0/1 nodes are available: 1 Insufficient cpu.");
  board_.Refuse("other", "cpu");
  Plan(kBegin);
  Write(due_, kBegin);
  Show("train", 0, "n1");
  Plan(kBegin);
  for (int second = 1; second < 20; ++second) {
    Reject("other", 0, "message " + std::to_string(second));
    EXPECT_THAT(Plan(kBegin + seconds(second)), IsEmpty()) << second;
  }
  EXPECT_THAT(Refused("train", 0, kBegin + seconds(20)), IsEmpty());
}

// Nothing can be put in its place: what is bound of it runs.
TEST_F(MemoryAloneTest, AGangThatIsBoundInPartHoldsTheRefusedPlaceAndIsTriedAgain) {
  Released("train", 3);
  board_.Bind("train", 1);
  Plan(kReleased + milliseconds(20));
  Reject("train", 1, "refused for now");
  Plan(kReleased + milliseconds(50));
  EXPECT_THAT(Refused("train", 1, kReleased + milliseconds(51)), ElementsAre("n1"));
  EXPECT_THAT(Plan(kReleased + milliseconds(60)), IsEmpty()) << "the nomination stays";
  EXPECT_THAT(Plan(kBegin + options_.nomination_grace), ElementsAre("train-2:")) << "to wake it";
  EXPECT_THAT(resting_, IsEmpty());
}

// What is left of it cannot be released: its nominations stay, and it stays before all others.
TEST_F(MemoryAloneTest, AGangThatIsBoundInPartHasNoTimeAndDoesNotRest) {
  AddGated("train", 3);
  Plan(kBegin);
  Write(due_, kBegin);
  for (size_t i = 0; i < 3; ++i) Show("train", i, "n1");
  Release("train", 0);
  board_.Bind("train", 1);
  board_.PutInPart("train");
  for (int i = 1; i < 4; ++i) {
    const Time now = kReleased + i * options_.patience.usual;
    EXPECT_THAT(Plan(now), IsEmpty()) << i;
    EXPECT_THAT(Plan(now + seconds(1)), IsEmpty()) << i;
    EXPECT_THAT(resting_, IsEmpty()) << i;
  }
  EXPECT_THAT(memory_.TakeTimedOut(), IsEmpty());
}

// One that is whole, but for members above its minimum, comes in its turn.
TEST_F(MemoryAloneTest, AGangThatDoesNotComeFirstHasItsTimeAndDoesNotRest) {
  AddGated("train", 3);
  board_.Bind("train", 1);
  Plan(kBegin);
  Plan(kBegin + options_.patience.usual);
  EXPECT_THAT(memory_.TakeTimedOut(), SizeIs(1));
  Plan(kBegin + options_.patience.usual + seconds(1));
  EXPECT_THAT(resting_, IsEmpty());
}

// It could not be released in time; then somebody took a gate off by hand.
TEST_F(MemoryAloneTest, AGangThatRestsIsPlannedOnceAMemberIsBound) {
  AddGated("train", 2);
  Plan(kBegin);
  Plan(kBegin + options_.patience.usual);
  const Time now = kBegin + options_.patience.usual + seconds(1);
  Prepare(board_, now);
  ASSERT_THAT(resting_, SizeIs(1));
  board_.Bind("train", 1);
  Prepare(board_, now);
  EXPECT_THAT(resting_, IsEmpty());
}

// kube-scheduler takes back what it has tried in vain for pods that may preempt.
TEST_F(MemoryAloneTest, TheNominationOfARefusedPlaceThatIsHeldIsWrittenAgain) {
  Released("train", 2);
  board_.Bind("train", 1);
  Plan(kReleased + milliseconds(20));
  Reject("train", 0, "refused for now");
  Plan(kReleased + milliseconds(50));
  Show("train", 0, "");
  EXPECT_THAT(Plan(kReleased + seconds(1)), ElementsAre("train-1:n1"));
}

// After a restart a nomination of a pod that never preempts can be the scheduler's of no kind.
TEST_F(MemoryAloneTest, AfterARestartAStaleNominationOfAReleasedMemberIsReplaced) {
  AddGated("train", 1);
  Release("train", 0);
  Show("train", 0, "n2");
  EXPECT_THAT(Plan(kBegin), ElementsAre("train-0:n1"));
}

plan::Unit UnitWith(bool gated, std::vector<std::string> refused) {
  Pod pod = testing::MakePod("a");
  if (gated) pod.scheduling_gates = {"outrigger.dev/queue"};
  plan::Unit unit;
  plan::Member& member = unit.members.emplace_back();
  member.pod = std::make_shared<Pod>(pod);
  member.refused = std::move(refused);
  return unit;
}

TEST(GiveRefusedNodes, OnlyToWhatHasBegunAndDoesNotFit) {
  std::vector<plan::Unit> units = {UnitWith(true, {"n1"}), UnitWith(false, {"n1"}),
                                   UnitWith(false, {"n1"}), UnitWith(false, {})};
  plan::Plan plan;
  plan.units.resize(units.size());
  plan.units[1].fits = true;
  EXPECT_TRUE(GiveRefusedNodes(plan, units));
  EXPECT_THAT(units[0].members[0].refused, SizeIs(1)) << "it waits at its gate";
  EXPECT_THAT(units[1].members[0].refused, SizeIs(1)) << "it has another place";
  EXPECT_THAT(units[2].members[0].refused, IsEmpty());
  EXPECT_FALSE(GiveRefusedNodes(plan, units)) << "there is nothing left to give";
}

TEST(LifeSigns, ArePodsThatWereBoundSinceTheLastLook) {
  plan::GroupOptions groups;
  groups.scheduler_names = {"default-scheduler"};
  std::vector<PodPtr> pods;
  const auto add = [&pods](int64_t at, const std::string& scheduler) {
    Pod pod = testing::MakePod("p" + std::to_string(pods.size()));
    pod.node_name = at == 0 ? "" : "n1";
    pod.scheduled_time = at;
    pod.scheduler_name = scheduler;
    pods.push_back(std::make_shared<Pod>(std::move(pod)));
  };
  LifeSigns signs;
  EXPECT_FALSE(signs.HasBound(pods, groups));
  add(0, "default-scheduler");
  EXPECT_FALSE(signs.HasBound(pods, groups));
  add(100, "default-scheduler");
  EXPECT_TRUE(signs.HasBound(pods, groups));
  EXPECT_FALSE(signs.HasBound(pods, groups));
  add(100, "default-scheduler");
  EXPECT_TRUE(signs.HasBound(pods, groups)) << "another one in the same second";
  add(101, "other");
  EXPECT_FALSE(signs.HasBound(pods, groups)) << "another scheduler's";
  pods.erase(pods.begin() + 1);
  EXPECT_FALSE(signs.HasBound(pods, groups));
}

}  // namespace
}  // namespace outrigger::desk
