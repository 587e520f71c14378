#include "penalty/classes/policy/text.h"

#include <string>

#include "gmock/gmock.h"
#include "rapidcheck.h"

namespace outrigger::penalty {
namespace {

TEST(TextTest, TimesAreReadAsTheyWereWritten) {
  EXPECT_EQ(TimeText(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(TimeText(kEndOfTime), "9999-12-31T23:59:59.999Z");
  EXPECT_TRUE(rc::check("round trip", [] {
    const Millis time = *rc::gen::inRange<Millis>(0, kEndOfTime);
    RC_ASSERT(TimeOf(TimeText(time)) == time);
  }));
}

TEST(TextTest, WhatIsNoTimeIsRefused) {
  for (const char* text :
       {"", "0", "2026-11-25T21:49:49Z", "2026-11-25T21:49:49.123+", "1969-12-31T23:59:59.999Z",
        "2026-02-30T00:00:00.000Z", " 2026-11-25T21:49:49.12Z", "2026-11-25 21:49:49.123Z",
        "2026-11-25T24:00:00.000Z", "2026-11-25T21:49:60.000Z", "infinite-future         "}) {
    EXPECT_FALSE(TimeOf(text).has_value()) << text;
  }
}

TEST(TextTest, WhatIsNoNumberIsRefused) {
  for (const char* text : {"", " 1", "1 ", "+1", "0x1", "1,0", "nan", "inf", "1e999", "--1"}) {
    EXPECT_FALSE(NumberOf(text).has_value()) << text;
    EXPECT_FALSE(IntegerOf(text).has_value()) << text;
  }
  EXPECT_EQ(NumberOf("-1.5e3"), -1500);
  EXPECT_FALSE(IntegerOf("1.5").has_value());
  EXPECT_FALSE(IntegerOf("9223372036854775808").has_value());
  EXPECT_EQ(IntegerOf("-9223372036854775808"), INT64_MIN);
}

}  // namespace
}  // namespace outrigger::penalty
