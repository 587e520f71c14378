#include "annotate/forgetting.h"

#include "annotate/measurement.h"
#include "annotate_testing.h"

namespace outrigger::annotate {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

MissingValue Missing(const std::string& key, bool stays) {
  return {.annotation = key, .cause = "no-series", .detail = {}, .stays = stays, .is_off = false};
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
  wanted_.missing = {Missing("y", false)};
  EXPECT_THAT(Due(), IsEmpty());
  time_.Advance(seconds(599));
  EXPECT_THAT(Due(), IsEmpty());
  time_.Advance(seconds(1));
  EXPECT_THAT(Due(), ElementsAre("y"));
}

TEST_F(ForgettingTest, AValueThatCameBackWaitsAgain) {
  wanted_.missing = {Missing("y", false)};
  wanted_.values = {{"x", "1"}};
  EXPECT_THAT(Due(), IsEmpty());
  wanted_.values = {{"x", "1"}, {"y", "2"}};
  time_.Advance(seconds(300));
  EXPECT_THAT(Due(), IsEmpty());
  wanted_.values = {{"x", "1"}};
  time_.Advance(seconds(500));
  EXPECT_THAT(Due(), IsEmpty());
}

TEST_F(ForgettingTest, AFailureOfTheSourceRemovesNothing) {
  wanted_.missing = {Missing("x", true), Missing("y", true)};
  shown_[std::string(kMeasured)] = "2027-01-15T08:00:00Z/3600s";
  EXPECT_THAT(Due(), IsEmpty());
  time_.Advance(seconds(100'000));
  EXPECT_THAT(Due(), IsEmpty());
}

TEST_F(ForgettingTest, TheTimeOfTheMeasurementGoesWithTheLastValue) {
  shown_[std::string(kMeasured)] = "2027-01-15T08:00:00Z/3600s";
  wanted_.missing = {Missing("x", false), Missing("y", false)};
  EXPECT_THAT(Due(), IsEmpty());
  time_.Advance(seconds(600));
  EXPECT_THAT(Due(), ElementsAre("x", "y", kMeasured));
}

TEST_F(ForgettingTest, ANodeThatWasGoneWaitsAgain) {
  EXPECT_THAT(Due(), IsEmpty());
  forgetting_.Retain([](std::string_view node) { return node != "a"; });
  time_.Advance(seconds(600));
  EXPECT_THAT(Due(), IsEmpty());
}

}  // namespace
}  // namespace outrigger::annotate
