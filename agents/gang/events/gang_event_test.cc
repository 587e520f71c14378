#include "events/gang_event.h"

#include <ctime>

#include "desk_testing.h"
#include "gang/plan/group.h"
#include "sdk/base/dialects.h"

namespace outrigger::gang {
namespace {

// Pods that name the PodGroup train of scheduling.x-k8s.io.
class GangEventTest : public ::testing::Test {
 protected:
  GangEventTest() {
    board_.AddGang("train", 2, 2);
    for (size_t i : {0U, 1U}) {
      board_.ChangeMember("train", i, [](Pod* pod) {
        pod->labels = {{std::string(RowOf(plan::Dialect::kSchedulerPlugins).marker), "train"}};
      });
    }
    board_.Change("train", [this](plan::GroupState* group) {
      group->key = key_;
      group->cause = plan::GroupCause::kObjectMissing;
    });
  }
  std::optional<ClusterEvent> Warning(const plan::UnitKey& gang) const {
    const auto board = board_.Make();
    FirstPods pods(*board);
    return GangEvent(&pods, gang, "GangWaiting", "why");
  }
  plan::UnitKey key_{plan::Dialect::kSchedulerPlugins, "default", "train", ""};
  mutable MakeBoard board_;
};

TEST_F(GangEventTest, IsAboutTheGroupsObject) {
  key_.uid = "u";
  const auto event = Warning(key_);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind + " " + event->name + " " + event->uid, "PodGroup train u");
  EXPECT_EQ(event->api_version, "scheduling.x-k8s.io/v1alpha1");
  EXPECT_EQ(event->note, "why");
}

TEST_F(GangEventTest, IsAboutTheFirstPodWhereThereIsNoObject) {
  const auto event = Warning(key_);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->api_version + " " + event->kind + " " + event->name, "v1 Pod train-0");
}

TEST_F(GangEventTest, IsNoneAboutAGangThatIsNotThere) {
  EXPECT_FALSE(Warning(LabelsGang("gone")));
}

TEST_F(GangEventTest, ThatWantAPlaceComeBeforeThoseThatHaveOne) {
  board_.AddGang("half", 3, 3);
  board_.Bind("half", 1);
  const auto board = board_.Make();
  EXPECT_EQ(FirstPods(*board).Of(LabelsGang("half"))->name, "half-1");
}

TEST(FirstPods, OfThousandsOfGangsTakeLittleMoreThanOfOne) {
  constexpr size_t kGangs = 5000;
  MakeBoard make;
  for (size_t i = 0; i < kGangs; ++i) make.AddGang(fmt::format("g{}", i), 2, 1);
  const auto board = make.Make();
  const std::clock_t began = std::clock();  // of the processor: a busy machine changes no ratio
  FirstPods pods(*board);
  ASSERT_EQ(pods.Of(LabelsGang("g0"))->name, "g0-0");
  const std::clock_t one = std::clock() - began;
  for (size_t i = 0; i < kGangs; ++i) {
    ASSERT_EQ(pods.Of(LabelsGang(fmt::format("g{}", i)))->name, fmt::format("g{}-0", i));
  }
  EXPECT_LT(std::clock() - began, 100 * one) << "a walk for each would be 5000 times as much";
}

}  // namespace
}  // namespace outrigger::gang
