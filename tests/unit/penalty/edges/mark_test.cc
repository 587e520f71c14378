#include <string>

#include "gmock/gmock.h"
#include "outrigger/penalty/edges.h"
#include "rapidcheck.h"

namespace outrigger::penalty {
namespace {

TEST(MarkTest, IsReadableForPeople) {
  EXPECT_EQ(MarkText({Stage::kRunning, 2, {}}), "2 started");
  EXPECT_EQ(MarkText({Stage::kWaiting, 2, {}}), "2 waiting");
  EXPECT_EQ(MarkText({Stage::kCompleted, 2, {20, 1'764'107'389'123}}),
            "2 completed 20 2025-11-25T21:49:49.123Z");
  EXPECT_FALSE(HasMark({}));
  EXPECT_FALSE(HasMark({Stage::kWaiting, 0, {}}));
  EXPECT_FALSE(HasMark({Stage::kCompleted, 0, {}}));
  EXPECT_TRUE(HasMark({Stage::kWaiting, 1, {}}));
}

TEST(MarkTest, IsReadAsItWasWritten) {
  EXPECT_TRUE(rc::check("round trip", [] {
    GroupState state = {*rc::gen::element(Stage::kWaiting, Stage::kRunning, Stage::kCompleted),
                        *rc::gen::inRange<int64_t>(1, 1'000'000'000),
                        {}};
    if (state.stage == Stage::kCompleted) {
      state.completion = {*rc::gen::inRange(0, 1'000'000'000) / 7.0,
                          *rc::gen::inRange<Millis>(0, kEndOfTime)};
    }
    const auto read = ParseMark(MarkText(state));
    RC_ASSERT(read.ok());
    RC_ASSERT(*read == state);
  }));
}

TEST(MarkTest, AnythingElseIsRefused) {
  for (const char* text :
       {"", "1", "started", "0 started", "-1 started", "1 Started", "1  started", " 1 started",
        "1 started ", "1 started 20 2026-11-25T21:49:49.123Z", "1 completed 20",
        "1 completed -1 2026-11-25T21:49:49.123Z", "1 completed nan 2026-11-25T21:49:49.123Z",
        "1 completed 1e13 2026-11-25T21:49:49.123Z", "1 completed 20 2026-11-25",
        "1 completed 20 2026-11-25T21:49:49.123Z x", "9999999999 started", "1 running"}) {
    const auto state = ParseMark(text);
    EXPECT_EQ(state.status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(MarkTest, NoTextCrashes) {
  EXPECT_TRUE(rc::check("any text", [](const std::string& text) {
    const auto state = ParseMark(text);
    if (state.ok()) RC_ASSERT(HasMark(*state));
  }));
}

}  // namespace
}  // namespace outrigger::penalty
