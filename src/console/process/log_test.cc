#include "console/process/log.h"

#include <gtest/gtest.h>

#include "nlohmann/json.hpp"
#include "spdlog/details/log_msg.h"

namespace outrigger::cli {
namespace {

std::string Line(bool json, std::string_view message,
                 spdlog::level::level_enum level = spdlog::level::info) {
  // 2026-07-30T12:00:00.123Z
  const spdlog::log_clock::time_point time{std::chrono::milliseconds(1785412800123)};
  const spdlog::details::log_msg msg(time, {}, "outrigger", level,
                                     spdlog::string_view_t(message.data(), message.size()));
  spdlog::memory_buf_t buffer;
  MakeFormatter(json)->format(msg, buffer);
  return {buffer.data(), buffer.size()};
}

TEST(LogText, HasTimeLevelAndMessage) {
  EXPECT_EQ(Line(false, "listening"), "2026-07-30T12:00:00.123Z info  listening\n");
  EXPECT_EQ(Line(false, "x", spdlog::level::err), "2026-07-30T12:00:00.123Z error x\n");
}

TEST(LogJson, IsOneObjectALine) {
  EXPECT_EQ(Line(true, "say \"hi\""),
            R"({"time":"2026-07-30T12:00:00.123Z","level":"info","msg":"say \"hi\""})"
            "\n");
}

struct EscapeRow {
  std::string name;
  std::string message;
  std::string text;
  std::string json;  // what a reader of the JSON gets back
};

class LogEscapes : public ::testing::TestWithParam<EscapeRow> {};

TEST_P(LogEscapes, WhatCameFromOutside) {
  const std::string text = Line(false, GetParam().message);
  EXPECT_EQ(text.substr(31, text.size() - 32), GetParam().text);
  const std::string json = Line(true, GetParam().message);
  EXPECT_EQ(json.find('\n'), json.size() - 1);
  EXPECT_EQ(nlohmann::json::parse(json)["msg"].get<std::string>(), GetParam().json);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, LogEscapes,
    ::testing::Values(EscapeRow{"Newline", "a\nb", "a\\nb", "a\nb"},
                      EscapeRow{"Escape", "\x1b[31m", "\\u001b[31m", "\x1b[31m"},
                      EscapeRow{"Nul", std::string("a\0b", 3), "a\\u0000b", std::string("a\0b", 3)},
                      EscapeRow{"Delete", "a\x7f", "a\\u007f", "a\x7f"},
                      EscapeRow{"C1Control",
                                "a\xc2\x9b"
                                "31m",
                                "a\\u009b31m",
                                "a\xc2\x9b"
                                "31m"},
                      EscapeRow{"InvalidUtf8", "a\xff", "a\xef\xbf\xbd", "a\xef\xbf\xbd"},
                      EscapeRow{"QuotesAndBackslash", R"("a\b")", R"("a\b")", R"("a\b")"},
                      EscapeRow{"OtherScript", "größe", "größe", "größe"},
                      EscapeRow{"Empty", "", "", ""}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::cli
