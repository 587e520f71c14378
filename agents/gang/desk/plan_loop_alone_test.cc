// Rounds of the planning thread where no scheduler calls: all it knows is the view.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gang/desk/plan_loop_testing.h"
#include "gang/plan/order.h"

namespace outrigger::desk {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// One node with room for four slots.
class PlanLoopAloneTest : public PlanLoopTest {
 protected:
  PlanLoopAloneTest() { cluster_.Put(testing::MakeNode("n0")); }
  PlanningOptions Alone() {
    PlanningOptions options = Options();
    options.reserve_after.reset();
    options.mode = Mode::kAlone;
    options.warn = [this](std::string_view line) { warned_.emplace_back(line); };
    return options;
  }
  void PutGated(const std::string& gang, int members) {
    for (int i = 0; i < members; ++i) {
      Pod pod = Member(gang, i, members, "1");
      pod.scheduling_gates = {std::string(plan::kQueueGate)};
      pod.unscheduled_reason = "SchedulingGated";
      pod.never_preempts = true;
      cluster_.Put(pod);
    }
  }
  void Rounds(int rounds, milliseconds apart = milliseconds(10)) {
    for (int i = 0; i < rounds; ++i) {
      now_ += apart;
      alone_.Step();
    }
  }
  const BoardPod* Seat(const std::string& pod) {
    return alone_.Answer()->board->Find(cluster_.Get(pod).uid);
  }

  std::vector<std::string> warned_;
  PlanLoop alone_{&cluster_, &leadership_, &inbox_, {&watcher_}, Alone()};
};

TEST_F(PlanLoopAloneTest, AGangGoesWholeWithItsPlacesAndNoneGoesWithout) {
  PutGated("short", 5);
  PutGated("train", 4);
  Rounds(4);
  EXPECT_THAT(cluster_.released(),
              UnorderedElementsAre("train-0", "train-1", "train-2", "train-3"));
  EXPECT_FALSE(cluster_.Get("short-0").scheduling_gates.empty());
}

// By that a gang that has lost members is told from one whose members were bound by hand.
TEST_F(PlanLoopAloneTest, AMemberThatIsLetGoSaysWhatItsGangIsStartedWith) {
  PutGated("train", 3);
  Pod single = testing::MakePod("single");
  single.scheduling_gates = {std::string(plan::kQueueGate)};
  cluster_.Put(single);
  Rounds(4);
  ASSERT_EQ(cluster_.released().size(), 4U);
  EXPECT_EQ(cluster_.Get("train-0").annotations.Get(plan::kStartedWith), "3");
  EXPECT_EQ(cluster_.Get("single").annotations.Get(plan::kStartedWith), "");
}

// As a gate policy of an earlier version: 403, or 422 where it gives no reason.
TEST_F(PlanLoopAloneTest, WhereAPolicyRefusesTheAnnotationTheGateGoesWithoutIt) {
  for (const absl::Status& refusal : {absl::PermissionDeniedError("denied request"),
                                      absl::InvalidArgumentError("denied request")}) {
    cluster_.RefuseAnnotations(refusal);
    const std::string gang = absl::IsPermissionDenied(refusal) ? "a" : "b";
    PutGated(gang, 2);
    Rounds(4);
    ASSERT_TRUE(cluster_.Get(gang + "-1").scheduling_gates.empty()) << refusal;
    EXPECT_EQ(cluster_.Get(gang + "-1").annotations.Get(plan::kStartedWith), "");
  }
  EXPECT_THAT(warned_, ElementsAre(AllOf(HasSubstr("pod default/a-0"), HasSubstr("denied request"),
                                         HasSubstr("apply deploy/guard-policy.yaml"))));
}

TEST_F(PlanLoopAloneTest, AnotherErrorIsTriedAgainAsItWas) {
  cluster_.RefuseAnnotations(absl::UnavailableError("away"));
  PutGated("train", 1);
  size_t tries = 0;
  cluster_.OnRemoveGate([&](const std::string& /*pod*/, const CallLimits& /*limits*/) {
    ++tries;
    return absl::OkStatus();
  });
  Rounds(2);
  EXPECT_EQ(tries, 1U);
  cluster_.RefuseAnnotations(absl::OkStatus());
  Rounds(2, seconds(1));
  EXPECT_EQ(cluster_.Get("train-0").annotations.Get(plan::kStartedWith), "1");
  EXPECT_THAT(warned_, IsEmpty());
}

// The account may not patch pods at all: that is the error, and none speaks of a policy.
TEST_F(PlanLoopAloneTest, ARefusalOfTheGateItselfIsTriedOnceWithoutTheAnnotation) {
  PutGated("train", 1);
  size_t tries = 0;
  cluster_.OnRemoveGate([&](const std::string& /*pod*/, const CallLimits& /*limits*/) {
    ++tries;
    return absl::PermissionDeniedError("pods is forbidden");
  });
  Rounds(2);
  EXPECT_EQ(tries, 2U);
  EXPECT_THAT(warned_, IsEmpty());
}

TEST_F(PlanLoopAloneTest, AGangWithoutItsClaimKeepsNoPlace) {
  PutGated("train", 2);
  cluster_.Change("train-1", [](Pod* pod) { pod->claims = {"data"}; });
  Rounds(4);
  EXPECT_THAT(cluster_.released(), IsEmpty());
  EXPECT_THAT(cluster_.nominations(), IsEmpty());
  const BoardUnit* const unit = alone_.Answer()->board->FindUnit(LabelsGang("train"));
  ASSERT_NE(unit, nullptr);
  EXPECT_EQ(unit->word, "the PersistentVolumeClaim data of train-1 is not there");
  EXPECT_EQ(unit->label, "claims");
}

// Otherwise the thread would plan without a pause: no plan makes nodes be kept for it.
TEST_F(PlanLoopAloneTest, NothingIsDueForAGangThatRestsHoweverLong) {
  watcher_.look.reset();
  PlanningOptions options = Alone();
  options.reserve_after = seconds(300);
  PlanLoop loop{&cluster_, &leadership_, &inbox_, {&watcher_}, options};
  PutGated("train", 2);
  cluster_.Change("train-1", [](Pod* pod) { pod->claims = {"data"}; });
  for (const seconds passed : {seconds(0), seconds(360)}) {
    now_ += passed;
    loop.Step();
    ASSERT_EQ(loop.Answer()->board->FindUnit(LabelsGang("train"))->label, "claims");
    EXPECT_EQ(loop.next_look(), std::nullopt);
  }
}

// kube-scheduler binds what it can of a gang; what it has refused goes nowhere else, and no other
// pod of its priority is to have that place.
TEST_F(PlanLoopAloneTest, ThePlaceOfARefusedMemberIsHeld) {
  PutGated("train", 4);
  Rounds(4);
  for (const char* bound : {"train-0", "train-1", "train-2"}) {
    cluster_.Change(bound, [](Pod* pod) { pod->node_name = "n0"; });
  }
  Rounds(1, seconds(1));
  cluster_.Change("train-3", [](Pod* pod) {
    pod->unscheduled_reason = "Unschedulable";
    pod->unscheduled_message = "0/1 nodes are available";
  });
  PutGated("other", 1);
  Rounds(3);
  ASSERT_NE(Seat("train-3"), nullptr);
  EXPECT_EQ(Seat("train-3")->node, "n0");
  EXPECT_EQ(cluster_.Get("train-3").nominated_node_name, "n0");
  ASSERT_NE(Seat("other-0"), nullptr);
  EXPECT_EQ(Seat("other-0")->node, "");
  // There is another node: it is the member's, and this one's place the other's.
  cluster_.Put(testing::MakeNode("n1"));
  Rounds(3);
  EXPECT_EQ(Seat("train-3")->node, "n1");
  EXPECT_EQ(cluster_.Get("train-3").nominated_node_name, "n1");
}

}  // namespace
}  // namespace outrigger::desk
