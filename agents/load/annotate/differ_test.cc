#include "load/annotate/differ.h"

#include "annotate_testing.h"
#include "load/annotate/node_values.h"

namespace outrigger::annotate {
namespace {

using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

NodeValues Wanted(Annotations values) {
  NodeValues wanted;
  wanted.node = "a";
  wanted.values = std::move(values);
  return wanted;
}

TEST(Difference, WritesWhatTheNodeDoesNotShow) {
  EXPECT_THAT(Difference(Wanted({{"x", "1"}, {"y", "2"}}), {{"x", "1"}}, {}, {}),
              UnorderedElementsAre(Pair("y", "2")));
  EXPECT_THAT(Difference(Wanted({{"x", "1"}}), {{"x", "1"}}, {}, {}), IsEmpty());
}

TEST(Difference, LeavesOutWhatMovedLessThanTheThreshold) {
  const DiffPolicy policy{.threshold = 0.01, .refresh = std::chrono::seconds(600)};
  const auto moved = [&](const char* now, const char* shown) {
    return !Difference(Wanted({{"x", now}}), {{"x", shown}}, {}, policy).empty();
  };
  EXPECT_FALSE(moved("1010", "1000"));
  EXPECT_TRUE(moved("1011", "1000"));
  EXPECT_FALSE(moved("990", "1000"));
  EXPECT_TRUE(moved("989", "1000"));
  EXPECT_TRUE(moved("1", "0"));
  EXPECT_FALSE(moved("-100", "-100.5"));
  // What another program wrote there is replaced.
  for (const char* text : {"", "many", "NaN", "inf", "1e999", "12Gi", "-1000"}) {
    EXPECT_TRUE(moved("1000", text)) << text;
  }
}

TEST(Difference, WithoutThresholdEveryTextCounts) {
  EXPECT_THAT(Difference(Wanted({{"x", "1000"}}), {{"x", "1000.0"}}, {}, {}),
              UnorderedElementsAre(Pair("x", "1000")));
}

TEST(Difference, WritesAllThatDiffersIfOneValueMoved) {
  const DiffPolicy policy{.threshold = 0.01, .refresh = std::chrono::seconds(600)};
  EXPECT_THAT(Difference(Wanted({{"x", "1001"}, {"y", "3000"}, {"z", "5"}}),
                         {{"x", "1000"}, {"y", "2000"}, {"z", "5"}}, {}, policy),
              UnorderedElementsAre(Pair("x", "1001"), Pair("y", "3000")));
}

TEST(Difference, RemovesWhatIsOverdue) {
  EXPECT_THAT(Difference(Wanted({{"x", "1"}}), {{"x", "1"}, {"y", "2"}}, {"y"}, {}),
              UnorderedElementsAre(Pair("y", std::nullopt)));
}

class MeasuredDifference : public ::testing::Test {
 protected:
  NodeChange After(int64_t seconds, const std::string& shown) {
    NodeValues wanted = Wanted({{"x", "1000"}});
    wanted.measured = Measurement{.end = 1'800'000'000 + seconds, .window = 3600};
    return Difference(wanted, {{"x", "1000"}, {std::string(kMeasured), shown}}, {},
                      {.threshold = 0.01, .refresh = std::chrono::seconds(600)});
  }
  const std::string shown_ = PrintMeasurement({.end = 1'800'000'000, .window = 3600});
};

TEST_F(MeasuredDifference, WritesTheTimeAloneOnceItIsOld) {
  EXPECT_EQ(shown_, "2027-01-15T08:00:00Z/3600s");
  EXPECT_THAT(After(599, shown_), IsEmpty());
  EXPECT_THAT(After(600, shown_),
              UnorderedElementsAre(Pair(kMeasured, "2027-01-15T08:10:00Z/3600s")));
}

// Each pass finds another length where scrapes are missed now and then.
TEST_F(MeasuredDifference, TakesAWindowThatIsNearlyTheSameForTheSame) {
  EXPECT_THAT(After(60, "2027-01-15T08:00:00Z/3300s"), IsEmpty());
  EXPECT_THAT(After(60, "2027-01-15T08:00:00Z/3200s"),
              UnorderedElementsAre(Pair(kMeasured, "2027-01-15T08:01:00Z/3600s")));
}

// One query fails for good: its value must not look as new as the others.
TEST(Difference, WritesNoTimeOverAValueOfAnEarlierMeasurement) {
  NodeValues wanted = Wanted({{"x", "2"}});
  wanted.measured = Measurement{.end = 1'800'000'600, .window = 3600};
  wanted.missing = {{.annotation = "y", .cause = "failed", .detail = {}, .lack = Lack::kFailed}};
  const std::string time(kMeasured);
  const Annotations shown = {{"x", "1"}, {"y", "1"}, {time, "2027-01-15T08:00:00Z/3600s"}};
  EXPECT_THAT(Difference(wanted, shown, {}, {}), UnorderedElementsAre(Pair("x", "2")));
  const auto at_last = Difference(wanted, shown, {"y"}, {});
  EXPECT_THAT(at_last, UnorderedElementsAre(Pair("x", "2"), Pair("y", std::nullopt),
                                            Pair(time, "2027-01-15T08:10:00Z/3600s")));
  EXPECT_TRUE(Difference(wanted, {{"x", "1"}, {time, ""}}, {}, {}).contains(time));
}

TEST_F(MeasuredDifference, MendsATimeThatIsNone) {
  for (const char* text : {"", "soon", "2027-01-15T08:00:00Z", "2027-01-15T08:00:00Z/0s",
                           "2027-01-15T08:00:00Z/60s", "2099-01-15T08:00:00Z/3600s", "/s"}) {
    EXPECT_EQ(After(1, text).size(), 1U) << text;
  }
}

TEST(Measurement, IsReadAsItIsPrinted) {
  const Measurement measurement{.end = 1'764'122'400, .window = 10};
  EXPECT_EQ(PrintMeasurement(measurement), "2025-11-26T02:00:00Z/10s");
  EXPECT_EQ(ParseMeasurement(PrintMeasurement(measurement)), measurement);
}

}  // namespace

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
