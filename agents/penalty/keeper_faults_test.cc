// Calls that fail, and a journal that is full or another's.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "keeper_testing.h"

namespace outrigger::penalty {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST_F(PenaltyKeeper, CountsMoreGroupsAtOnceThanTheJournalHasRoomForMarks) {
  for (int i = 0; i < 100; ++i) Show("job-" + std::to_string(i), "Running");
  for (int look = 0; look < 5; ++look) Look();  // the view shows the marks of the look before
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Mark("job-" + std::to_string(i)), "1 started");
  EXPECT_LT(Value(), 1000);
}

TEST_F(PenaltyKeeper, StopsWritingWhereAnotherProcessWritesTheJournal) {
  Become("job", "Running");
  for (ConfigMap map : cluster_.keep().Maps()) cluster_.keep().PutMap(std::move(map));
  Become("other", "Running");
  EXPECT_EQ(Value(), 900) << "its writes were refused";
  EXPECT_TRUE(keeper_->Begin(term_.get_token()).ok());
  Look();
  EXPECT_EQ(Value(), 800);
}

TEST_F(PenaltyKeeper, SaysWhyAnIntentStaysAndReportsItsChangeOnce) {
  cluster_.keep().OnCall([](const testing::ObjectCall& call) {
    if (!call.Is(testing::ObjectCall::Verb::kDelete, "ConfigMap")) return testing::CallFate::Done();
    return testing::CallFate::FailBefore(absl::PermissionDeniedError("cannot delete configmaps"));
  });
  Become("job", "Running");
  Become("other", "Running");
  Pass(60'000);
  EXPECT_THAT(log_, Contains(HasSubstr("cannot delete configmaps")));
  const auto reasons = EventReasons();
  EXPECT_EQ(std::count(reasons.begin(), reasons.end(), "PriorityClass gold PenaltyApplied"), 1);
  cluster_.keep().OnCall(nullptr);
  Pass(120'000);
  Pass(120'000);
  EXPECT_EQ(Value(), 1000) << "all has recovered";
}

TEST_F(PenaltyKeeper, WritesAMarkAgainThatCouldNotBeWrittenThoughNothingChanges) {
  bool fails = true;
  cluster_.OnAnnotate([&fails](const PodGroup& /*group*/, const CallLimits& /*limits*/) {
    return fails ? absl::UnavailableError("not now") : absl::OkStatus();
  });
  Become("job", "Running");
  EXPECT_EQ(Mark("job"), "");
  fails = false;
  ASSERT_TRUE(next_.has_value());
  EXPECT_LE(*next_, now_ + 1'000);
  Pass(1'000);
  EXPECT_EQ(Mark("job"), "1 started");
  EXPECT_EQ(Value(), 900) << "counted once";
}

TEST_F(PenaltyKeeper, MarksNothingThatTheJournalDoesNotHaveAndTriesAgainSoon) {
  int failures = 1;
  cluster_.keep().OnCall([&failures](const testing::ObjectCall& call) {
    const bool is_write = call.verb != testing::ObjectCall::Verb::kGet && call.kind == "ConfigMap";
    if (!is_write || failures == 0) return testing::CallFate::Done();
    --failures;
    return testing::CallFate::FailBefore(absl::UnavailableError("not now"));
  });
  Become("job", "Running");
  EXPECT_EQ(Mark("job"), "");
  EXPECT_EQ(Value(), 1000);
  for (int i = 0; i < 20; ++i) {  // changes of others make the pause no longer
    now_ += 10;
    Become("other", "Pending");
  }
  EXPECT_EQ(Mark("job"), "");
  Pass(1'000);
  EXPECT_EQ(Mark("job"), "1 started");
  EXPECT_EQ(Value(), 900);
}

TEST_F(PenaltyKeeper, GoesOnWhileMarksOfAClassThatIsNotSelectedAnyMoreFillTheJournal) {
  cluster_.keep().Put(ClassOf("silver", 500));
  Look();
  cluster_.OnAnnotate([](const PodGroup& /*group*/, const CallLimits& /*limits*/) {
    return absl::UnavailableError("a webhook is down");
  });
  for (int i = 0; i < 40; ++i) Show("job-" + std::to_string(i), "Running");
  Look();
  Show("late", "Running", "silver");
  ASSERT_TRUE(cluster_.keep().Edit("gold", [](PriorityClass* gold) { gold->labels = {}; }).ok());
  Look();
  Pass(1'000);
  EXPECT_EQ(Value(), 1000);
}

}  // namespace
}  // namespace outrigger::penalty
