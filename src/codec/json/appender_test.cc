#include "codec/json/appender.h"

#include <gtest/gtest.h>

#include <string>

namespace outrigger::json {
namespace {

TEST(Appender, PiecesStandBehindWhatWasThere) {
  std::string out = "before ";
  {
    Appender appender(&out, 100);
    appender.append("[");
    appender.AppendQuoted("name");
    appender.append("]");
  }
  EXPECT_EQ(out, R"(before ["name"])");
}

TEST(Appender, WithoutRoomItGrows) {
  std::string out;
  std::string expected;
  {
    Appender appender(&out, 0);
    for (int i = 0; i < 1000; ++i) {
      const std::string text = std::to_string(i);
      appender.AppendQuoted(text);
      appender.append(",");
      expected += '"' + text + "\",";
    }
  }
  EXPECT_EQ(out, expected);
}

TEST(Appender, WhatIsNotPlainIsEscaped) {
  std::string out;
  {
    Appender appender(&out, 4);
    appender.AppendQuoted("plain");
    appender.AppendQuoted("a\"b\n");
    appender.AppendQuoted("");
    appender.AppendQuoted("größer");
    appender.append("!");
  }
  EXPECT_EQ(out, "\"plain\"\"a\\\"b\\n\"\"\"\"größer\"!");
}

TEST(Appender, WhatIsEscapedMayNeedMoreRoomThanThereIs) {
  std::string out;
  std::string expected;
  const std::string reason = "cpu: risk 0.41 > 0.30 of exceeding 90 percent utilization";
  {
    Appender appender(&out, 10);
    for (int i = 0; i < 100; ++i) {
      appender.AppendQuoted(reason);
      AppendString(reason, &expected);
    }
  }
  EXPECT_EQ(out, expected);
  EXPECT_NE(out.find("0.41 \\u003e 0.30 of"), std::string::npos);
}

TEST(Appender, WithoutPiecesNothingChanges) {
  std::string out = "x";
  { const Appender appender(&out, 100); }
  EXPECT_EQ(out, "x");
}

}  // namespace
}  // namespace outrigger::json
