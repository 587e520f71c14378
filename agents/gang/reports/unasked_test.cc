#include "reports/unasked.h"

#include <memory>
#include <string>
#include <vector>

#include "desk_testing.h"
#include "gmock/gmock.h"
#include "reports/counted_testing.h"

namespace outrigger::gang {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakePod;
using ::testing::SizeIs;

class UnaskedTest : public ::testing::Test {
 protected:
  UnaskedTest() { board_.AddGang("train", 2, 3); }

  static PodPtr Member(const std::string& name, std::vector<std::string> asks,
                       const std::string& node = "", const std::string& gang = "train") {
    Pod pod = MakePod(name);
    pod.labels.Set("podGroup", gang);
    pod.labels.Set("minAvailable", "2");
    pod.node_name = node;
    for (const std::string& resource : asks) {
      pod.containers.resize(1);
      pod.containers[0].requests.Set(resource, Quantity::FromInt(1));
    }
    return std::make_shared<const Pod>(std::move(pod));
  }
  static PodPtr Whole(const std::string& name) {
    return Member(name, {"outrigger.dev/gang", "outrigger.dev/gang-bind"});
  }
  // "reason name: note" of what is said of these.
  std::vector<std::string> Said(std::vector<PodPtr> pods) {
    const size_t before = cluster_.events().size();
    unasked_.Prepare({});
    unasked_.OnPlan(*board_.Make(), pods, asks_about_all_);
    std::vector<std::string> said;
    const auto events = cluster_.events();
    for (size_t i = before; i < events.size(); ++i) {
      EXPECT_TRUE(events[i].warning);
      EXPECT_EQ(events[i].reason, "GangResourceMissing");
      said.push_back(events[i].name + ": " + events[i].note);
    }
    return said;
  }

  testing::FakeCluster cluster_;
  Counted counted_;
  std::vector<std::string> log_;
  MakeBoard board_;
  bool asks_about_all_ = false;
  Unasked unasked_{&cluster_, &counted_,
                   [this](std::string_view line) { log_.emplace_back(line); }};
};

TEST_F(UnaskedTest, TellsOfAMemberOnceOfItselfAndOfItsGang) {
  const std::vector<PodPtr> pods = {Whole("train-0"), Member("train-1", {"outrigger.dev/gang"})};
  EXPECT_THAT(Said(pods),
              ElementsAre("train-0: gang default/train has 1 member that does not request "
                          "outrigger.dev/gang-bind (train-1): kube-scheduler places it as a single "
                          "pod; add it to their template, or apply deploy/member-policy.yaml",
                          "train-1: the pod is in gang default/train but does not request "
                          "outrigger.dev/gang-bind: kube-scheduler places it as a single pod"));
  EXPECT_THAT(log_, SizeIs(1));
  EXPECT_EQ(counted_.values["resource_missing waiting"], 1);
  EXPECT_EQ(counted_.values["resource_missing bound"], 0);
  EXPECT_THAT(Said(pods), IsEmpty());
  EXPECT_THAT(Said({Member("train-1", {}, "n1")}), IsEmpty()) << "it is bound since";
  EXPECT_EQ(counted_.values["resource_missing waiting"], 0);
  EXPECT_EQ(counted_.values["resource_missing bound"], 1);
}

TEST_F(UnaskedTest, TellOfOneThatIsBoundBeforeItIsSeenToWait) {
  EXPECT_THAT(Said({Whole("train-0")}), IsEmpty());
  EXPECT_THAT(Said({Whole("train-0"), Member("train-1", {}, "n1")}),
              ElementsAre(HasSubstr("outrigger.dev/gang and outrigger.dev/gang-bind (train-1)"),
                          HasSubstr("train-1: ")));
}

TEST_F(UnaskedTest, OnlyCountsWhatWasBoundBefore) {
  EXPECT_THAT(Said({Whole("train-0"), Member("train-1", {}, "n1")}), IsEmpty());
  EXPECT_EQ(counted_.values["resource_missing bound"], 1);
  unasked_.Forget();
  EXPECT_EQ(counted_.values["resource_missing bound"], 0) << "another agent is in charge";
}

TEST_F(UnaskedTest, TellsApartWhatIsMissing) {
  const auto said = Said({Member("train-1", {"outrigger.dev/gang"}), Member("train-2", {}),
                          Member("train-3", {"outrigger.dev/gang-bind"})});
  ASSERT_THAT(said, SizeIs(6));
  EXPECT_THAT(said[0], HasSubstr("1 member that does not request outrigger.dev/gang (train-3)"));
  EXPECT_THAT(said[2], HasSubstr("not request outrigger.dev/gang and outrigger.dev/gang-bind (tr"));
  EXPECT_THAT(said[4], HasSubstr("not request outrigger.dev/gang-bind (train-1)"));
  EXPECT_EQ(counted_.values["resource_missing waiting"], 3);
}

TEST_F(UnaskedTest, SaysNothingOfPodsThatAreNotToBeAskedAbout) {
  Pod other = *Member("train-1", {});
  other.scheduler_name = "another";
  Pod ended = *Member("train-2", {});
  ended.phase = "Failed";
  Pod going = *Member("train-3", {});
  going.being_deleted = true;
  EXPECT_THAT(
      Said({std::make_shared<const Pod>(MakePod("single")), std::make_shared<const Pod>(other),
            std::make_shared<const Pod>(ended), std::make_shared<const Pod>(going)}),
      IsEmpty());
  EXPECT_EQ(counted_.values["resource_missing waiting"], 0);
}

TEST_F(UnaskedTest, SaysNothingOfAGroupThatIsLeftToTheScheduler) {
  board_.Change("train",
                [](plan::GroupState* group) { group->cause = plan::GroupCause::kLeftToScheduler; });
  EXPECT_THAT(Said({Member("train-1", {})}), IsEmpty());
}

TEST_F(UnaskedTest, TellsOfTheFirstOfManyPodsAndOfTheGangOnce) {
  std::vector<PodPtr> pods = {Whole("train-0")};
  for (int i = 100; i < 200; ++i) pods.push_back(Member("train-" + std::to_string(i), {}));
  const auto said = Said(pods);
  ASSERT_THAT(said, SizeIs(9));
  EXPECT_THAT(said[0], HasSubstr("has 100 members that do not request"));
  EXPECT_THAT(said[0], HasSubstr("(train-100 first)"));
  EXPECT_EQ(counted_.values["resource_missing waiting"], 100);
}

TEST_F(UnaskedTest, LooksForNothingWhereTheSchedulerAsksAboutAllPods) {
  asks_about_all_ = true;
  EXPECT_THAT(Said({Whole("train-0"), Member("train-1", {})}), IsEmpty());
  EXPECT_EQ(counted_.values["resource_missing waiting"], 0);
}

TEST_F(UnaskedTest, SaysNothingBeforeAnyPodShowsThatOnlyMembersAreAskedAbout) {
  const std::vector<PodPtr> waiting = {Member("train-1", {}), Member("train-2", {})};
  EXPECT_THAT(Said(waiting), IsEmpty());
  EXPECT_THAT(Said({Member("train-1", {}, "n1"), waiting[1]}), SizeIs(3)) << "one is bound unasked";
}

}  // namespace
}  // namespace outrigger::gang
