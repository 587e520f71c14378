#include "annotate/forgetting.h"

#include "annotate/measurement.h"
#include "annotate_testing.h"

namespace outrigger::annotate {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

MissingValue Missing(const std::string& key, Lack lack) {
  return {.annotation = key, .cause = "no-series", .detail = {}, .lack = lack};
}

class ForgettingTest : public ::testing::Test {
 protected:
  ForgettingTest() { wanted_.node = "a"; }
  std::vector<std::string> Due() { return forgetting_.Due(wanted_, shown_, time_.now()); }

  FakeTime time_;
  Forgetting forgetting_{{"x", "y", std::string(kMeasured)}, seconds(600)};
  NodeValues wanted_;
  Annotations shown_{{"x", "1"}, {"y", "2"}, {"others", "3"}};
};

TEST_F(ForgettingTest, RemovesAValueThatWasLostForLongEnough) {
  wanted_.values = {{"x", "1"}};
  wanted_.missing = {Missing("y", Lack::kLost)};
  EXPECT_THAT(Due(), IsEmpty());
  time_.Advance(seconds(599));
  EXPECT_THAT(Due(), IsEmpty());
  time_.Advance(seconds(1));
  EXPECT_THAT(Due(), ElementsAre("y"));
}

TEST_F(ForgettingTest, AValueThatCameBackWaitsAgain) {
  wanted_.missing = {Missing("y", Lack::kLost)};
  wanted_.values = {{"x", "1"}};
  EXPECT_THAT(Due(), IsEmpty());
  wanted_.values = {{"x", "1"}, {"y", "2"}};
  time_.Advance(seconds(300));
  EXPECT_THAT(Due(), IsEmpty());
  wanted_.values = {{"x", "1"}};
  time_.Advance(seconds(500));
  EXPECT_THAT(Due(), IsEmpty());
}

TEST_F(ForgettingTest, WhatIsNotKnownYetStays) {
  wanted_.missing = {Missing("x", Lack::kNotYet), Missing("y", Lack::kNotYet)};
  shown_[std::string(kMeasured)] = "2027-01-15T08:00:00Z/3600s";
  EXPECT_THAT(Due(), IsEmpty());
  time_.Advance(seconds(100'000));
  EXPECT_THAT(Due(), IsEmpty());
}

TEST_F(ForgettingTest, TheTimeOfTheMeasurementGoesWithTheLastValue) {
  shown_[std::string(kMeasured)] = "2027-01-15T08:00:00Z/3600s";
  wanted_.missing = {Missing("x", Lack::kLost), Missing("y", Lack::kLost)};
  EXPECT_THAT(Due(), IsEmpty());
  time_.Advance(seconds(600));
  EXPECT_THAT(Due(), ElementsAre("x", "y", kMeasured));
}

TEST_F(ForgettingTest, AValueThatFailsForGoodIsRemovedWhereOthersAreAnswered) {
  wanted_.values = {{"x", "1"}};
  wanted_.missing = {Missing("y", Lack::kFailed)};
  EXPECT_THAT(Due(), IsEmpty());
  time_.Advance(seconds(600));
  EXPECT_THAT(Due(), ElementsAre("y"));
}

TEST_F(ForgettingTest, TheTimeOfTheMeasurementGoesWhereNothingIsMeasuredAnyMore) {
  shown_[std::string(kMeasured)] = "2027-01-15T08:00:00Z/3600s";
  wanted_.values = {{"x", "1"}, {"y", "2"}};
  wanted_.measured = Measurement{.end = 1, .window = 1};
  EXPECT_THAT(Due(), IsEmpty());
  wanted_.measured.reset();
  EXPECT_THAT(Due(), IsEmpty());
  time_.Advance(seconds(600));
  EXPECT_THAT(Due(), ElementsAre(kMeasured));
}

TEST_F(ForgettingTest, ANodeThatWasGoneWaitsAgain) {
  EXPECT_THAT(Due(), IsEmpty());
  forgetting_.Retain([](std::string_view node) { return node != "a"; });
  time_.Advance(seconds(600));
  EXPECT_THAT(Due(), IsEmpty());
}

}  // namespace
}  // namespace outrigger::annotate
