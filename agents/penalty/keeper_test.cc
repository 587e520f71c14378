// The author's cycle in process: PodGroups start and complete, classes pay and recover.
#include "keeper.h"

#include <string>

#include "builders.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "keeper_testing.h"
#include "penalty/classes/base_value.h"
#include "penalty/classes/pages.h"

namespace outrigger::penalty {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(PenaltyKeeper, MakesTheClassAgainWithALowerValueWhenAPodGroupStarts) {
  Become("job", "Pending");
  Become("job", "Inqueue");
  EXPECT_EQ(Value(), 1000);
  Become("job", "Running");
  const auto gold = cluster_.keep().Find("gold");
  ASSERT_TRUE(gold.has_value());
  EXPECT_EQ(gold->value, 900);
  EXPECT_EQ(gold->description, "for gold");
  EXPECT_EQ(gold->labels.Get("fairness"), "on");
  EXPECT_EQ(gold->annotations.Get(kBaseValueAnnotation), "1000");
  EXPECT_EQ(Mark("job"), "1 started");
  EXPECT_THAT(EventReasons(), Contains("PodGroup job PriorityClassPenalised"));
  EXPECT_THAT(EventReasons(), Contains("PriorityClass gold PenaltyApplied"));
}

TEST_F(PenaltyKeeper, CountsCompletionsAndRecoversByHalfLifeAfterTheTimeOfGrace) {
  Become("job", "Pending");
  Become("job", "Running");
  Become("job", "Completed");
  EXPECT_EQ(Value(), 850);
  EXPECT_THAT(Mark("job"), HasSubstr("1 completed"));
  Pass(4'999);
  EXPECT_EQ(Value(), 850);
  Pass(1 + 10'000);  // half of the penalty is gone
  EXPECT_EQ(Value(), 925);
  while (next_) {
    now_ = *next_;
    Look();
  }
  EXPECT_EQ(Value(), 1000);
  EXPECT_EQ(cluster_.keep().Find("gold")->annotations.Find(kBaseValueAnnotation), nullptr);
}

TEST_F(PenaltyKeeper, SaysWhenTheNextLookIsDue) {
  Become("job", "Running");
  ASSERT_TRUE(next_.has_value());
  EXPECT_GE(*next_, now_ + 5'000);
}

TEST_F(PenaltyKeeper, CountsAStartOnceThroughFlappingAndARestart) {
  Become("job", "Pending");
  Become("job", "Running");
  Become("job", "Pending");
  Become("job", "Running");
  Become("job", "Unknown");
  Become("job", "Running");
  Restart(Fair());
  EXPECT_EQ(Value(), 900);
}

TEST_F(PenaltyKeeper, TakesACompletionBack) {
  Become("job", "Running");
  Become("job", "Completed");
  EXPECT_EQ(Value(), 850);
  Become("job", "Running");
  EXPECT_EQ(Value(), 900);
  Become("job", "Completed");
  EXPECT_EQ(Value(), 850) << "a later completion counts again";
}

TEST_F(PenaltyKeeper, CountsWhatItMissedWhileItWasAway) {
  keeper_.reset();
  now_ += 60'000;
  Show("job", "Completed");
  Restart(Fair());
  EXPECT_EQ(Value(), 850);
}

TEST_F(PenaltyKeeper, LeavesHistoryAlone) {
  groups_["old"].created = kStart / 1000 - 3600;
  Become("old", "Completed");
  groups_["older"].created = kStart / 1000 - 7200;
  Become("older", "Running");
  EXPECT_EQ(Value(), 1000);
  Become("older", "Completed");
  EXPECT_EQ(Value(), 950) << "its completion was seen";
}

TEST_F(PenaltyKeeper, CountsAGroupThatComesInTheSecondOfTheInstallation) {
  now_ += 599;
  cluster_.keep().Put(ClassOf("silver", 500));
  Look();
  groups_["job"].created = kStart / 1000;
  Show("job", "Running", "silver");
  Look();
  EXPECT_EQ(Value("silver"), 400);
}

TEST_F(PenaltyKeeper, LeavesAGroupAloneThatWasThereInTheSecondOfTheInstallation) {
  now_ += 599;
  groups_["job"].created = kStart / 1000;
  Show("job", "Running", "silver");
  cluster_.keep().Put(ClassOf("silver", 500));
  Look();
  Restart(Fair());
  EXPECT_EQ(Value("silver"), 500);
}

TEST_F(PenaltyKeeper, SaysNothingOfCallsThatAreWell) {
  Become("job", "Running");
  EXPECT_THAT(log_, ::testing::Not(Contains(HasSubstr("journal:"))));
}

TEST_F(PenaltyKeeper, WritesNothingInADryRun) {
  Settings settings = Fair();
  settings.dry_run = true;
  Restart(settings);
  const size_t maps = cluster_.keep().Maps().size();
  Become("job", "Running");
  EXPECT_EQ(Value(), 1000);
  EXPECT_EQ(Mark("job"), "");
  EXPECT_EQ(cluster_.keep().Maps().size(), maps);
  EXPECT_THAT(cluster_.events(), IsEmpty());
  EXPECT_THAT(log_, Contains(HasSubstr("class gold would get the value 900")));
}

TEST_F(PenaltyKeeper, NamesTheRecoveryAsItsCauseAfterACompletionThatAddsNothing) {
  Settings settings = Fair();
  settings.completion = "flat 0";
  Restart(settings);
  Become("job", "Running");
  Become("job", "Completed");
  Pass(15'000);
  EXPECT_EQ(Value(), 950);
  EXPECT_THAT(log_.back(), HasSubstr("base 1000: recovery"));
}

TEST_F(PenaltyKeeper, DoesNothingForAPod) {
  Become("job", "Running");
  Look();  // the mark and the class that it has written
  const auto next = next_;
  const int sets = metrics_.sets;
  cluster_.Put(Pod(testing::MakePod("pod")));
  Look();
  EXPECT_EQ(next_, next);
  EXPECT_EQ(metrics_.sets, sets) << "it has looked at all classes and PodGroups";
}

TEST_F(PenaltyKeeper, ShowsNoPageWithoutTheLease) {
  PageTable table(ClassesPage().columns, 10);
  EXPECT_TRUE(absl::IsUnavailable(keeper_->FillPage("penalty", &table)));
}

}  // namespace
}  // namespace outrigger::penalty
