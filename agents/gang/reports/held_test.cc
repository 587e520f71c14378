// What is said of gangs that cannot be released.
#include "reports/held.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "desk_testing.h"
#include "reports/counted_testing.h"

namespace outrigger::gang {
namespace {

using desk::HeldBy;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class HeldTest : public ::testing::Test {
 protected:
  HeldTest() { board_.AddGang("train", 2, 2); }
  void OnPlan(HeldBy by, const std::string& why, seconds after, bool has_begun = false) {
    desk::Releases releases;
    releases.units = {{LabelsGang("train"), by, 2, why, has_begun}};
    releases.pods[static_cast<size_t>(by)] = 2;
    held_.OnPlan(*board_.Make(), releases, kBegin + after);
  }
  void OnRelease(const absl::Status& status) {
    held_.OnRelease({std::make_shared<Pod>(testing::MakePod("a"))}, status);
  }

  testing::FakeCluster cluster_;
  Counted counted_;
  std::vector<std::string> log_;
  MakeBoard board_;
  Held held_{&cluster_, &counted_, [this](std::string_view line) { log_.emplace_back(line); }};
};

TEST_F(HeldTest, AGangThatCannotBeReleasedHasAnEventAfterTenSecondsAndEveryFiveMinutes) {
  OnPlan(HeldBy::kFailing, "train-0: pods is forbidden", seconds(0));
  EXPECT_EQ(held_.next_look(), kBegin + seconds(10));
  OnPlan(HeldBy::kFailing, "train-0: pods is forbidden", seconds(9));
  EXPECT_THAT(cluster_.events(), IsEmpty());
  OnPlan(HeldBy::kFailing, "train-0: pods is forbidden", seconds(10));
  ASSERT_THAT(cluster_.events(), SizeIs(1));
  EXPECT_EQ(cluster_.events()[0].reason, "GangNotReleased");
  EXPECT_EQ(cluster_.events()[0].note,
            "gang default/train has its nodes but is not released: the gate outrigger.dev/queue "
            "cannot be removed from train-0: pods is forbidden");
  OnPlan(HeldBy::kFailing, "train-0: pods is forbidden", seconds(309));
  EXPECT_THAT(cluster_.events(), SizeIs(1));
  OnPlan(HeldBy::kNominations, "1 of 2 places are nominated", seconds(310));
  ASSERT_THAT(cluster_.events(), SizeIs(2));
  EXPECT_EQ(cluster_.events()[1].note,
            "gang default/train has its nodes but is not released: 1 of 2 places are nominated");
}

TEST_F(HeldTest, SoHasOneOfWhichPartWaitsForAClaim) {
  const std::string why = "the PersistentVolumeClaim data of train-1 is not there";
  for (const int at : {0, 10}) OnPlan(HeldBy::kClaims, why, seconds(at));
  EXPECT_THAT(cluster_.events(), IsEmpty()) << "GangWaiting tells of a gang that has not begun";
  for (const int at : {10, 20}) OnPlan(HeldBy::kClaims, why, seconds(at), /*has_begun=*/true);
  ASSERT_THAT(cluster_.events(), SizeIs(1));
  EXPECT_EQ(cluster_.events()[0].note,
            "gang default/train has its nodes but is not released completely: " + why);
}

TEST_F(HeldTest, OneThatWaitsForItsTurnHasNone) {
  for (const int at : {0, 10, 400}) OnPlan(HeldBy::kWindow, "", seconds(at));
  for (const int at : {400, 410, 800}) OnPlan(HeldBy::kNoPlace, "", seconds(at));
  EXPECT_THAT(cluster_.events(), IsEmpty());
}

TEST_F(HeldTest, PodsAreCountedByWhatHoldsThemUntilAnotherIsInCharge) {
  OnPlan(HeldBy::kWindow, "", seconds(0));
  EXPECT_EQ(counted_.values["gated window"], 2);
  EXPECT_EQ(counted_.values["gated no place"], 0);
  held_.Forget();
  EXPECT_EQ(counted_.values["gated window"], 0);
}

TEST_F(HeldTest, ReleasesAreCountedAndAFailureIsLoggedOnce) {
  OnRelease(absl::OkStatus());
  OnRelease(absl::NotFoundError("gone"));
  OnRelease(absl::AbortedError("another one"));
  for (int i = 0; i < 3; ++i) OnRelease(absl::PermissionDeniedError("pods is forbidden"));
  EXPECT_EQ(counted_.values["releases_total released"], 1);
  EXPECT_EQ(counted_.values["releases_total gone"], 2);
  EXPECT_EQ(counted_.values["releases_total failed"], 3);
  EXPECT_THAT(
      log_,
      ElementsAre(
          "the gate outrigger.dev/queue cannot be removed from pod default/a: pods is forbidden"));
}

}  // namespace
}  // namespace outrigger::gang
