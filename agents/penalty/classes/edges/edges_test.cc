#include "penalty/classes/edges.h"

#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "rapidcheck.h"

namespace outrigger::penalty {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct StateRow {
  std::string name;
  GroupState state;
  bool is_history;
  bool is_soon = false;
};

constexpr Added kCompletion = {20, 1'764'107'389'123};

// Run 7 stands for any run.
const std::vector<StateRow>& States() {
  static const std::vector<StateRow> states = {
      {"New", {}, false},
      {"New, older than the journal", {}, true},
      {"Waiting, no run yet", {Stage::kWaiting, 0, {}}, false},
      {"Waiting, run *n* may go on", {Stage::kWaiting, 7, kCompletion}, false},
      {"Waiting, run *n* is over", {Stage::kWaiting, 7, {}}, false},
      {"Running *n*", {Stage::kRunning, 7, {}}, false},
      {"Completed *n*, within `grace`", {Stage::kCompleted, 7, kCompletion}, false, true},
      {"Completed *n*, later", {Stage::kCompleted, 7, kCompletion}, false},
      {"Completed, not counted", {Stage::kCompleted, 0, {}}, false},
  };
  return states;
}

std::string NameOf(const GroupState& state) {
  const std::string run = state.epoch < 7    ? fmt::format("{}", state.epoch)
                          : state.epoch == 7 ? "*n*"
                                             : fmt::format("*n*+{}", state.epoch - 7);
  switch (state.stage) {
    case Stage::kNew:
      return "New";
    case Stage::kWaiting:
      if (state.completion != Added()) return fmt::format("Waiting, {} may go on", run);
      return state.epoch == 0 ? "Waiting" : fmt::format("Waiting, {} is over", run);
    case Stage::kRunning:
      return fmt::format("Running {}", run);
    case Stage::kCompleted:
      return state.epoch == 0 ? "Completed" : fmt::format("Completed {}", run);
  }
  return "";
}

std::string Cell(const StateRow& row, Phase phase) {
  const Transition transition = OnPhase(row.state, phase, row.is_history, row.is_soon);
  std::string cell;
  for (const EdgeKind edge : transition.edges) {
    cell += fmt::format("{}**{}**", cell.empty() ? "" : ", ", EdgeText(edge));
  }
  if (transition.next == row.state && transition.edges.empty()) return "-";
  return fmt::format("{}{}{}", cell, cell.empty() ? "" : "; ", NameOf(transition.next));
}

// The table of docs/penalty.md, as the function has it.
TEST(EdgesTest, ThePageHasTheTableOfTheFunction) {
  std::string table =
      "| state | Pending, Inqueue, none | Running | Completed | Unknown, others |\n"
      "|---|---|---|---|---|\n";
  for (const StateRow& row : States()) {
    table += fmt::format("| {} | {} | {} | {} | {} |\n", row.name, Cell(row, Phase::kWaiting),
                         Cell(row, Phase::kRunning), Cell(row, Phase::kCompleted),
                         Cell(row, Phase::kOther));
  }
  std::ifstream file(std::string(OUTRIGGER_DOCS) + "/penalty.md");
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_THAT(page.str(), HasSubstr(table));
}

TEST(EdgesTest, PhasesAreVolcanos) {
  for (const auto& [text, phase] :
       std::vector<std::pair<std::string, Phase>>{{"", Phase::kWaiting},
                                                  {"Pending", Phase::kWaiting},
                                                  {"Inqueue", Phase::kWaiting},
                                                  {"Running", Phase::kRunning},
                                                  {"Completed", Phase::kCompleted},
                                                  {"Unknown", Phase::kOther},
                                                  {"running", Phase::kOther},
                                                  {"Finished", Phase::kOther}}) {
    EXPECT_EQ(PhaseOf(text), phase) << text;
  }
}

struct LifeRow {
  std::string name;
  std::vector<std::string> phases;
  bool is_history;
  std::vector<EdgeKind> edges;
};
std::ostream& operator<<(std::ostream& out, const LifeRow& row) {
  return out << row.name;
}

class LifeTableTest : public ::testing::TestWithParam<LifeRow> {};

TEST_P(LifeTableTest, CountsAsTheTableHasIt) {
  GroupState state;
  std::vector<EdgeKind> edges;
  for (const std::string& phase : GetParam().phases) {
    const Transition transition = OnPhase(state, PhaseOf(phase), GetParam().is_history);
    edges.insert(edges.end(), transition.edges.begin(), transition.edges.end());
    state = transition.next;
  }
  EXPECT_EQ(edges, GetParam().edges);
}

constexpr EdgeKind kStart = EdgeKind::kStart;
constexpr EdgeKind kDone = EdgeKind::kCompletion;
constexpr EdgeKind kBack = EdgeKind::kTakenBack;

INSTANTIATE_TEST_SUITE_P(
    Table, LifeTableTest,
    ::testing::ValuesIn(std::vector<LifeRow>{
        {"Whole", {"Pending", "Inqueue", "Running", "Completed"}, false, {kStart, kDone}},
        {"WholeOfAnOldGroup", {"Pending", "Running", "Completed"}, true, {kStart, kDone}},
        {"InqueueSkipped", {"", "Running"}, false, {kStart}},
        {"RunningSkipped", {"Pending", "Completed"}, false, {kStart, kDone}},
        {"Flaps",
         {"Pending", "Running", "Pending", "Running", "Inqueue", "Running"},
         false,
         {kStart}},
        {"UnknownInBetween", {"Pending", "Running", "Unknown", "Running"}, false, {kStart}},
        {"UnknownAtFirst", {"Unknown", "Running"}, false, {kStart}},
        {"CompletesWhileItFlaps", {"Running", "Pending", "Completed"}, false, {kStart, kDone}},
        {"TakenBack",
         {"Pending", "Running", "Completed", "Running", "Completed"},
         false,
         {kStart, kDone, kBack, kDone}},
        {"RunsAgain",
         {"Pending", "Running", "Completed", "Pending", "Running", "Completed"},
         false,
         {kStart, kDone, kStart, kDone}},
        {"FirstSeenRunning", {"Running", "Completed"}, false, {kStart, kDone}},
        {"FirstSeenCompleted", {"Completed"}, false, {kStart, kDone}},
        {"OldAndRunning", {"Running", "Completed"}, true, {kDone}},
        {"OldAndCompleted", {"Completed", "Completed"}, true, {}},
        {"OldAndCompletedRunsOn", {"Completed", "Running", "Completed"}, true, {kDone}},
        {"OldAndCompletedRunsAgain", {"Completed", "Pending", "Running"}, true, {kStart}},
    }),
    ::testing::PrintToStringParamName());

TEST(EdgesTest, AGroupIsHistoryUnlessItIsCertainlyNewer) {
  EXPECT_TRUE(IsHistory(0, 0));
  EXPECT_TRUE(IsHistory(-5, 0));
  EXPECT_TRUE(IsHistory(99, 100'000));
  EXPECT_FALSE(IsHistory(100, 100'000));
  EXPECT_TRUE(IsHistory(100, 100'001));  // created at 100.000 or at 100.999
  EXPECT_FALSE(IsHistory(101, 100'001));
}

struct SightRow {
  std::string name;
  std::optional<std::string> mark;
  std::optional<GroupState> pending;
  Phase phase;
  GroupState state;
  bool needs_mark;
  bool has_problem = false;
};
std::ostream& operator<<(std::ostream& out, const SightRow& row) {
  return out << row.name;
}

class FirstSightTest : public ::testing::TestWithParam<SightRow> {};

TEST_P(FirstSightTest, IsAsTheTableHasIt) {
  const SightRow& row = GetParam();
  const FirstSight sight =
      StateAtFirstSight(row.mark ? &*row.mark : nullptr, row.pending, row.phase);
  EXPECT_EQ(sight.state, row.state);
  EXPECT_EQ(sight.needs_mark, row.needs_mark);
  EXPECT_EQ(!sight.problem.empty(), row.has_problem);
  // What a malformed mark hides is not counted.
  if (row.has_problem) {
    EXPECT_THAT(OnPhase(sight.state, row.phase, false).edges, IsEmpty());
  }
}

constexpr GroupState Running(int64_t run) {
  return {Stage::kRunning, run, {}};
}
constexpr GroupState Completed(int64_t run) {
  return {Stage::kCompleted, run, {}};
}
constexpr GroupState Waiting(int64_t run) {
  return {Stage::kWaiting, run, {}};
}

INSTANTIATE_TEST_SUITE_P(
    Table, FirstSightTest,
    ::testing::ValuesIn(std::vector<SightRow>{
        {"NoMark", {}, {}, Phase::kRunning, {}, false},
        {"Mark", "3 started", {}, Phase::kCompleted, Running(3), false},
        {"PendingWithoutMark", {}, Running(1), Phase::kRunning, Running(1), true},
        {"PendingIsMarked", "1 started", Running(1), Phase::kRunning, Running(1), false},
        {"PendingAfterMark", "1 started", Completed(1), Phase::kCompleted, Completed(1), true},
        {"PendingTakenBack", "1 completed", Running(1), Phase::kRunning, Running(1), true},
        {"PendingNextRun", "1 waiting", Running(2), Phase::kRunning, Running(2), true},
        {"MarkedEndOfRunAfterPending", "1 waiting", Completed(1), Phase::kWaiting, Waiting(1),
         false},
        {"OldPending", "3 started", Completed(1), Phase::kRunning, Running(3), false},
        {"MalformedRunning", "x", {}, Phase::kRunning, Running(1), true, true},
        {"MalformedCompleted", "", {}, Phase::kCompleted, Completed(1), true, true},
        {"MalformedWaiting", "0 started", {}, Phase::kWaiting, Waiting(1), true, true},
        {"MalformedUnknown", "1", {}, Phase::kOther, Running(1), true, true},
        {"MalformedAndPending", "x", Running(4), Phase::kRunning, Running(4), true, true},
    }),
    ::testing::PrintToStringParamName());

TEST(EdgesTest, AnOldGroupThatRunsIsMarkedSoThatItsCompletionCountsAfterARestart) {
  const Transition seen = OnPhase({}, Phase::kRunning, true);
  ASSERT_TRUE(seen.has_new_mark);
  const std::string mark = MarkText(seen.next);
  const FirstSight again = StateAtFirstSight(&mark, std::nullopt, Phase::kCompleted);
  EXPECT_THAT(OnPhase(again.state, Phase::kCompleted, true).edges, ElementsAre(kDone));
}

}  // namespace

namespace {

TEST(MarkTest, IsReadableForPeople) {
  EXPECT_EQ(MarkText({Stage::kRunning, 2, {}}), "2 started");
  EXPECT_EQ(MarkText({Stage::kWaiting, 2, {}}), "2 waiting");
  EXPECT_EQ(MarkText({Stage::kCompleted, 2, {20, 1'764'107'389'123}}),
            "2 completed 20 2025-11-25T21:49:49.123Z");
  EXPECT_EQ(MarkText({Stage::kWaiting, 2, {20, 1'764'107'389'123}}),
            "2 waiting 20 2025-11-25T21:49:49.123Z");
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
    if (state.stage != Stage::kRunning) {
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
