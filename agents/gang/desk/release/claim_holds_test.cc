// Which units wait for what they claim.
#include "gang/desk/release/claim_holds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "board_testing.h"
#include "gang/plan/order.h"

namespace outrigger::desk {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class ClaimHoldsTest : public ::testing::Test {
 protected:
  void AddGated(const std::string& gang, size_t members) {
    board_.AddGang(gang, static_cast<int64_t>(members), members);
    for (size_t i = 0; i < members; ++i) {
      board_.ChangeMember(
          gang, i, [](Pod* pod) { pod->scheduling_gates = {std::string(plan::kQueueGate)}; });
    }
  }
  void Claim(const std::string& gang, size_t member, const std::string& claim) {
    board_.ChangeMember(gang, member, [&](Pod* pod) { pod->claims = {claim}; });
  }
  RefusedClaims Hold() {
    units_ = board_.Units();
    resting_.clear();
    const auto is_released = [this](const std::string& uid) { return released_.contains(uid); };
    return HoldForClaims(claims_, is_released, &units_, &resting_);
  }

  MakeBoard board_;
  ClaimTable claims_;
  std::set<std::string> released_;
  std::vector<plan::Unit> units_;
  std::vector<Resting> resting_;
};

TEST_F(ClaimHoldsTest, AGangWaitsForAClaimThatIsNotThere) {
  AddGated("a", 2);
  AddGated("b", 1);
  Claim("a", 1, "data");
  EXPECT_THAT(Hold(), SizeIs(1));
  ASSERT_THAT(resting_, SizeIs(1));
  EXPECT_EQ(resting_[0].why, "the PersistentVolumeClaim data of a-1 is not there");
  EXPECT_EQ(resting_[0].label, "claims");
  ASSERT_THAT(units_, SizeIs(1));
  EXPECT_EQ(units_[0].key, LabelsGang("b"));
  claims_.volumes[{"default", "data"}] = {};
  EXPECT_THAT(Hold(), IsEmpty());
  EXPECT_THAT(units_, SizeIs(2));
}

TEST_F(ClaimHoldsTest, ItWaitsForOneThatKubeSchedulerRefuses) {
  AddGated("a", 1);
  Claim("a", 0, "data");
  claims_.volumes[{"default", "data"}].refused = "is being deleted";
  Hold();
  ASSERT_THAT(resting_, SizeIs(1));
  EXPECT_EQ(resting_[0].why, "the PersistentVolumeClaim data of a-0 is being deleted");
}

TEST_F(ClaimHoldsTest, AVolumeThatIsMadeForThePodsNodeIsNotWaitedFor) {
  AddGated("a", 1);
  Claim("a", 0, "data");
  claims_.volumes[{"default", "data"}].open = true;
  EXPECT_THAT(Hold(), IsEmpty());
}

TEST_F(ClaimHoldsTest, ItWaitsForClaimsOfDevices) {
  AddGated("a", 1);
  board_.ChangeMember("a", 0, [](Pod* pod) { pod->resource_claims = {"gpu"}; });
  Hold();
  ASSERT_THAT(resting_, SizeIs(1));
  EXPECT_EQ(resting_[0].why, "the ResourceClaim gpu of a-0 is not there");
  claims_.devices[{"default", "gpu"}].open = true;
  EXPECT_THAT(Hold(), IsEmpty()) << "it is allocated once the pod has a node";
  board_.ChangeMember("a", 0, [](Pod* pod) { pod->claims_to_come = 1; });
  Hold();
  ASSERT_THAT(resting_, SizeIs(1));
  EXPECT_EQ(resting_[0].why, "a ResourceClaim of a-0 has not been created from its template yet");
}

// Older versions of ResourceClaims are not read: kube-scheduler alone knows them.
TEST_F(ClaimHoldsTest, ItDoesNotWaitForClaimsOfDevicesThatAreNotServed) {
  AddGated("a", 1);
  board_.ChangeMember("a", 0, [](Pod* pod) { pod->resource_claims = {"gpu"}; });
  claims_.device_claims_served = false;
  EXPECT_THAT(Hold(), IsEmpty());
  EXPECT_THAT(units_, SizeIs(1));
}

// The view may still show the gate of what has been released.
TEST_F(ClaimHoldsTest, AGangOfWhichAGateIsBeingTakenOffStaysInThePlan) {
  AddGated("a", 2);
  Claim("a", 1, "data");
  released_ = {"uid-a-0"};
  EXPECT_THAT(Hold(), SizeIs(1));
  EXPECT_THAT(units_, SizeIs(1));
}

// Its places are its own: what is bound or released cannot be called back.
TEST_F(ClaimHoldsTest, AGangThatHasBegunStaysInThePlan) {
  AddGated("a", 2);
  Claim("a", 1, "data");
  board_.ChangeMember("a", 0, [](Pod* pod) { pod->scheduling_gates.clear(); });
  EXPECT_THAT(Hold(), SizeIs(1));
  EXPECT_THAT(units_, SizeIs(1));
}

}  // namespace
}  // namespace outrigger::desk
