#include "console/process/follow_log.h"

#include <gtest/gtest.h>

#include <optional>

namespace outrigger::cli {
namespace {

kube::ReflectorState State(bool synced, const std::string& error) {
  kube::ReflectorState state;
  state.resource = "nodes";
  state.synced = synced;
  state.objects = 5;
  state.last_error = error;
  return state;
}

kube::ReflectorState Missing(std::string unknown = "") {
  kube::ReflectorState state = State(false, "");
  state.not_installed = true;
  state.unknown_versions = std::move(unknown);
  return state;
}

struct Row {
  const char* name;
  std::optional<kube::ReflectorState> before;
  kube::ReflectorState now;
  const char* line;
};

class FollowLogLine : public ::testing::TestWithParam<Row> {};

TEST_P(FollowLogLine, SaysWhatHasChanged) {
  const Row& row = GetParam();
  EXPECT_EQ(FollowLog::Line(row.before ? &*row.before : nullptr, row.now), row.line);
}

const Row kRows[] = {
    {"NothingYet", std::nullopt, State(false, ""), ""},
    {"Known", std::nullopt, State(true, ""), "nodes: 5 known"},
    {"KnownAfterAWhile", State(false, ""), State(true, ""), "nodes: 5 known"},
    {"StillKnown", State(true, ""), State(true, ""), ""},
    {"FirstFailure", std::nullopt, State(false, "no route"),
     "nodes: cannot watch the API server, trying again: no route"},
    {"SameFailure", State(true, "no route"), State(true, "no route"), ""},
    {"OtherFailure", State(true, "no route"), State(true, "403"),
     "nodes: cannot watch the API server, trying again: 403"},
    {"WorksAgain", State(true, "no route"), State(true, ""), "nodes: following again"},
    {"NotInstalled", State(false, ""), Missing(), "nodes: not installed"},
    {"StillNotInstalled", Missing(), Missing(), ""},
    {"UnknownVersion", State(false, ""), Missing("v2"),
     "nodes: served in version v2, which is not supported"},
    {"StillAnUnknownVersion", Missing("v2"), Missing("v2"), ""},
    {"AnUnknownVersionThatGoes", Missing("v2"), Missing(), "nodes: not installed"},
    {"InstalledMeanwhile", Missing(), State(true, ""), "nodes: 5 known"},
    {"InstalledNoMore", State(true, ""), Missing(), "nodes: not installed"},
    {"WorksAtLast", State(false, "no route"), State(true, ""), "nodes: 5 known"},
};
INSTANTIATE_TEST_SUITE_P(Of, FollowLogLine, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(FollowLog, LeavesOutCountsAndNothingElse) {
  const auto line = [](const kube::ReflectorState& before, const kube::ReflectorState& now) {
    return FollowLog::Line(&before, now, /*counts=*/false);
  };
  EXPECT_EQ(line(State(false, ""), State(true, "")), "");
  EXPECT_EQ(line(State(false, "no route"), State(true, "")), "");
  EXPECT_EQ(line(State(true, "no route"), State(true, "")), "nodes: following again");
  EXPECT_NE(line(State(false, ""), State(false, "no route")), "");
}

}  // namespace
}  // namespace outrigger::cli
