// What the API server took from this process is missing in the view for long.
#include "by_hand_testing.h"

namespace outrigger::gang {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class InStepTest : public ByHandTest {
 protected:
  absl::Status BindThere(const std::string& pod) {
    const auto board = desk_->Plan();
    const std::string uid = cluster_.Get(pod).uid;
    return dynamic_cast<Binder&>(*made_).Bind({.pod_namespace = "default",
                                               .pod_name = pod,
                                               .pod_uid = uid,
                                               .node = (*board)->Find(uid)->node});
  }
  // A gate that was taken off 10 s ago is still there.
  void LoseTheWatch() {
    Pod gated = Member("gated", 0, 1, "1");
    gated.scheduling_gates = {"outrigger.dev/queue"};
    cluster_.Put(gated);
    PlanAfter(seconds(0));
    ASSERT_THAT(cluster_.released(), SizeIs(1));
    cluster_.Put(gated);
    PlanAfter(seconds(10));
  }
};

TEST_F(InStepTest, NoGangIsBoundForTheFirstTime) {
  Nodes(2);
  cluster_.Put(Member("train", 0, 1));
  StartByHand();
  LoseTheWatch();
  EXPECT_THAT(std::string(BindThere("train-0").message()), HasSubstr("arrive too late"));
  EXPECT_THAT(cluster_.bindings(), IsEmpty());
}

TEST_F(InStepTest, NobodyMayAct) {
  Nodes(2);
  StartByHand();
  PlanAfter(seconds(0));
  EXPECT_TRUE(desk_->MayAct({}).ok());
  LoseTheWatch();
  EXPECT_TRUE(absl::IsUnavailable(desk_->MayAct({})));
}

}  // namespace
}  // namespace outrigger::gang
