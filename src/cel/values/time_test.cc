#include "cel/values/time.h"

#include <gtest/gtest.h>

namespace outrigger::cel {
namespace {

TEST(Duration, IsReadAsGoReadsIt) {
  EXPECT_EQ(ParseDuration("1h30m"), 5'400'000'000'000);
  EXPECT_EQ(ParseDuration("-1.5s"), -1'500'000'000);
  EXPECT_EQ(ParseDuration("1us2ns"), 1002);
  EXPECT_EQ(ParseDuration("0"), 0);
  for (const char* wrong : {"", "1", "1d", "s", ".s", "1h ", "9999999999h", "--1s"}) {
    EXPECT_FALSE(ParseDuration(wrong)) << wrong;
  }
}

TEST(Duration, IsShownInSeconds) {
  EXPECT_EQ(FormatDuration(5'400'000'000'000), "5400s");
  EXPECT_EQ(FormatDuration(-1'500'000), "-0.0015s");
}

TEST(Timestamp, IsReadAndShown) {
  const auto read = ParseTimestamp("2024-04-30T12:00:00.5+02:00");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->seconds, 1'714'471'200);
  EXPECT_EQ(read->nanoseconds, 500'000'000U);
  EXPECT_EQ(FormatTimestamp(*read), "2024-04-30T12:00:00.5+02:00");
  EXPECT_EQ(FormatTimestamp({0, 0, 0}), "1970-01-01T00:00:00Z");
  for (const char* wrong :
       {"2024-04-30", "2024-02-30T00:00:00Z", "2024-04-30T24:00:00Z", "2024-04-30T00:00:00",
        "2024-04-30 00:00:00Z", "0000-01-01T00:00:00Z", "2024-04-30T00:00:005Z"}) {
    EXPECT_FALSE(ParseTimestamp(wrong)) << wrong;
  }
}

TEST(Timestamp, HasPartsInAZone) {
  const Instant instant = *ParseTimestamp("2024-04-30T23:30:00Z");
  EXPECT_EQ(DateOf(instant, "UTC")->weekday, 2);
  EXPECT_EQ(DateOf(instant, "+02:00")->day, 1);
  EXPECT_EQ(DateOf(instant, "-1:30")->hour, 22);
  EXPECT_EQ(DateOf(instant, "UTC")->day_of_year, 121);
  EXPECT_FALSE(DateOf(instant, "Nowhere/Land"));
}

}  // namespace
}  // namespace outrigger::cel
