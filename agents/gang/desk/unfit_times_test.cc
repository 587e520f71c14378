#include "gang/desk/kept_nodes.h"

#include <string>
#include <string_view>

#include "board_testing.h"
#include "gmock/gmock.h"

namespace outrigger::desk {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class UnfitTimesTest : public ::testing::Test {
 protected:
  void OnPlan(Time now, size_t ahead = 100) {
    times_.OnPlan(*board_.Make(), ahead, minutes(5), now);
  }
  // A gang that lacks members.
  void Lacks(const std::string& name, const std::string& text) {
    board_.Change(name, [text](plan::GroupState* group) {
      group->cause = plan::GroupCause::kTooFewMembers;
      group->text = text;
    });
  }
  bool HasNotFit(std::string_view gang, seconds time, Time now) const {
    return times_.HasNotFit(LabelsGang(gang), time, now);
  }

  MakeBoard board_;
  UnfitTimes times_;
};

TEST_F(UnfitTimesTest, ForAGangThatFitsNothingHasToBeKept) {
  board_.AddGang("elastic", 2, 3);
  board_.Surplus("elastic", 2);  // its third member finds no room
  OnPlan(kBegin);
  OnPlan(kBegin + minutes(5));
  EXPECT_FALSE(HasNotFit("elastic", minutes(5), kBegin + minutes(5)));
}

TEST_F(UnfitTimesTest, HowLongAGangHasNotFitCountsFromTheLastPlanInWhichItDid) {
  board_.AddGang("train", 2, 2);
  board_.Refuse("train", "cpu");
  OnPlan(kBegin);
  EXPECT_TRUE(HasNotFit("train", minutes(5), kBegin + minutes(5)));
  board_.Accept("train");
  OnPlan(kBegin + minutes(5));
  EXPECT_FALSE(HasNotFit("train", minutes(5), kBegin + minutes(5)));
  board_.Refuse("train", "cpu");
  OnPlan(kBegin + minutes(6));
  EXPECT_FALSE(HasNotFit("train", minutes(5), kBegin + minutes(11) - seconds(1)));
  EXPECT_TRUE(HasNotFit("train", minutes(5), kBegin + minutes(11)));
}

TEST_F(UnfitTimesTest, LackingAMemberNeitherBeginsNorEndsTheTimeForWhichAGangHasNotFit) {
  board_.AddGang("train", 2, 2);
  Lacks("train", "1 of 2 members exist");
  OnPlan(kBegin);
  EXPECT_FALSE(HasNotFit("train", minutes(5), kBegin + minutes(5)));
  board_.Change("train", nullptr);
  board_.Refuse("train", "cpu");
  OnPlan(kBegin + minutes(5));
  Lacks("train", "1 of 2 members exist");
  OnPlan(kBegin + minutes(6));
  board_.Change("train", nullptr);
  OnPlan(kBegin + minutes(7));
  EXPECT_TRUE(HasNotFit("train", minutes(5), kBegin + minutes(10)));
}

TEST_F(UnfitTimesTest, ASinglePodThatDoesNotFitCountsToo) {
  board_.AddSingle(testing::MakePod("web"));
  OnPlan(kBegin);
  const plan::UnitKey web = board_.Make()->units()[0].key;
  EXPECT_FALSE(times_.HasNotFit(web, minutes(5), kBegin + minutes(5) - seconds(1)));
  EXPECT_TRUE(times_.HasNotFit(web, minutes(5), kBegin + minutes(5)));
}

TEST_F(UnfitTimesTest, TheNextIsOneOfThoseAheadThatDoNotFit) {
  board_.AddGang("fits", 2, 2);
  board_.AddGang("second", 2, 2);
  board_.Refuse("second", "cpu");
  OnPlan(kBegin);
  board_.AddGang("third", 2, 2);
  board_.Refuse("third", "cpu");
  OnPlan(kBegin + seconds(1), 3);
  EXPECT_EQ(times_.NextAhead(), kBegin + minutes(5));
  OnPlan(kBegin + seconds(2), 1);
  EXPECT_EQ(times_.NextAhead(), std::nullopt);
  OnPlan(kBegin + minutes(5), 3);
  EXPECT_EQ(times_.NextAhead(), kBegin + seconds(1) + minutes(5)) << "of the second it is true";
  board_.Accept("second");
  OnPlan(kBegin + minutes(5), 3);
  EXPECT_EQ(times_.NextAhead(), kBegin + seconds(1) + minutes(5));
}

}  // namespace
}  // namespace outrigger::desk
