#include "calls/leaving_pods.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::gang {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr LeavingPods::Time kStart{seconds(1000)};

TEST(LeavingPods, LeaveForAFewSeconds) {
  LeavingPods pods;
  pods.Add("a", kStart);
  pods.Add("b", kStart + seconds(4));
  EXPECT_THAT(pods.At(kStart + seconds(5)), ElementsAre("a", "b"));
  EXPECT_THAT(pods.At(kStart + seconds(6)), ElementsAre("b"));
  EXPECT_THAT(pods.At(kStart + seconds(10)), IsEmpty());
}

TEST(LeavingPods, AreNoneOnceTheyHaveComeAgain) {
  LeavingPods pods;
  pods.Add("a", kStart);
  pods.Remove("a");
  pods.Remove("unknown");
  EXPECT_THAT(pods.At(kStart), IsEmpty());
}

TEST(LeavingPods, LeaveAnewWithEachFailure) {
  LeavingPods pods;
  pods.Add("a", kStart);
  pods.Add("a", kStart + seconds(4));
  pods.Add("b", kStart + seconds(8));  // old ones are forgotten
  EXPECT_THAT(pods.At(kStart + seconds(9)), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace outrigger::gang
