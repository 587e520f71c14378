#include "calls/leaving_pods.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::gang {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr LeavingPods::Time kFirst{seconds(1000)};

TEST(LeavingPods, LeaveForAFewSeconds) {
  LeavingPods pods;
  pods.Add("a", kFirst);
  pods.Add("b", kFirst + seconds(4));
  EXPECT_THAT(pods.At(kFirst + seconds(5)), ElementsAre("a", "b"));
  EXPECT_THAT(pods.At(kFirst + seconds(6)), ElementsAre("b"));
  EXPECT_THAT(pods.At(kFirst + seconds(10)), IsEmpty());
}

TEST(LeavingPods, AreNoneOnceTheyHaveComeAgain) {
  LeavingPods pods;
  pods.Add("a", kFirst);
  pods.Remove("a");
  pods.Remove("unknown");
  EXPECT_THAT(pods.At(kFirst), IsEmpty());
}

TEST(LeavingPods, LeaveAnewWithEachFailure) {
  LeavingPods pods;
  pods.Add("a", kFirst);
  pods.Add("a", kFirst + seconds(4));
  pods.Add("b", kFirst + seconds(8));  // old ones are forgotten
  EXPECT_THAT(pods.At(kFirst + seconds(9)), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace outrigger::gang
