#include "gang_event.h"

#include "board_testing.h"
#include "outrigger/plan/group.h"

namespace outrigger::gang {
namespace {

// Pods that name the PodGroup train of scheduling.x-k8s.io.
class GangEventTest : public ::testing::Test {
 protected:
  GangEventTest() {
    board_.AddGang("train", 2, 2);
    for (size_t i : {0U, 1U}) {
      board_.ChangeMember("train", i, [](Pod* pod) {
        pod->labels = {{std::string(plan::kSchedulerPluginsLabel), "train"}};
      });
    }
    board_.Change("train", [this](plan::GroupState* group) {
      group->key = key_;
      group->cause = plan::GroupCause::kObjectMissing;
    });
  }
  plan::UnitKey key_{plan::Dialect::kSchedulerPlugins, "default", "train", ""};
  MakeBoard board_;
};

TEST_F(GangEventTest, IsAboutTheGroupsObject) {
  key_.uid = "u";
  const auto event = GangEvent(*board_.Make(), key_, "GangWaiting", "why");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind + " " + event->name + " " + event->uid, "PodGroup train u");
  EXPECT_EQ(event->api_version, "scheduling.x-k8s.io/v1alpha1");
  EXPECT_EQ(event->note, "why");
}

TEST_F(GangEventTest, IsAboutTheFirstPodWhereThereIsNoObject) {
  const auto event = GangEvent(*board_.Make(), key_, "GangWaiting", "why");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->api_version + " " + event->kind + " " + event->name, "v1 Pod train-0");
}

TEST_F(GangEventTest, IsNoneAboutAGangThatIsNotThere) {
  EXPECT_FALSE(GangEvent(*board_.Make(), LabelsGang("gone"), "GangWaiting", "why"));
}

}  // namespace
}  // namespace outrigger::gang
