// The table of docs/desk.md against Next(), and what no sequence of events may lead to.
#include "gang/desk/nominations/pod_nomination.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace outrigger::desk {
namespace {

using enum NominationState;
using Event = NominationEvent;

std::vector<NominationState> AllStates() {
  std::vector<NominationState> all;
  for (size_t i = 0; i < kNominationStates; ++i) all.push_back(static_cast<NominationState>(i));
  return all;
}

std::vector<Event> AllEvents() {
  std::vector<Event> all;
  for (size_t i = 0; i < kNominationEvents; ++i) all.push_back(static_cast<Event>(i));
  return all;
}

std::string TextOfAll(const std::vector<Event>& events) {
  std::string text;
  for (const Event event : events) text.append(text.empty() ? "" : " ").append(TextOf(event));
  return text;
}

/// The cells of a row "| a | `b` |".
std::vector<std::string> CellsOf(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line.substr(1));
  for (std::string cell; std::getline(in, cell, '|');) {
    const size_t start = cell.find_first_not_of(" `");
    const size_t end = cell.find_last_not_of(" `");
    cells.push_back(start == std::string::npos ? "" : cell.substr(start, end - start + 1));
  }
  return cells;
}

/// The rows of the table in docs/desk.md whose first line begins with `| first |`, that line first.
std::vector<std::vector<std::string>> TableOfPage(const std::string& first) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream file(OUTRIGGER_DOCS "/desk.md");
  for (std::string line; std::getline(file, line);) {
    if (rows.empty() ? line.starts_with("| " + first + " |") : line.starts_with("|")) {
      if (!line.starts_with("|---")) rows.push_back(CellsOf(line));
    } else if (!rows.empty()) {
      break;
    }
  }
  return rows;
}

TEST(NominationStatePage, HasTheTableOfNext) {
  const auto rows = TableOfPage("in state");
  ASSERT_EQ(rows.size(), kNominationStates + 1) << "a row for each state";
  ASSERT_EQ(rows[0].size(), kNominationEvents + 1) << "a column for each event";
  for (const Event event : AllEvents()) {
    EXPECT_EQ(rows[0][1 + static_cast<size_t>(event)], TextOf(event));
  }
  for (const NominationState state : AllStates()) {
    const auto& row = rows[1 + static_cast<size_t>(state)];
    ASSERT_EQ(row.size(), rows[0].size()) << TextOf(state);
    EXPECT_EQ(row[0], TextOf(state));
    for (const Event event : AllEvents()) {
      const std::string& cell = row[1 + static_cast<size_t>(event)];
      const NominationState next = Next(state, event);
      EXPECT_EQ(cell, next == state ? "" : TextOf(next)) << TextOf(state) << ", " << TextOf(event);
    }
  }
}

TEST(NominationStatePage, SaysWhatEachStateAndEventMeans) {
  std::set<std::string> states;
  for (const auto& row : TableOfPage("state")) {
    ASSERT_EQ(row.size(), 4U) << row[0];
    if (row[0] == "state") continue;
    states.insert(row[0]);
    for (const NominationState state : AllStates()) {
      if (TextOf(state) != row[0]) continue;
      EXPECT_EQ(row[2], AwaitsAnswer(state) ? "yes" : "no") << row[0];
    }
  }
  std::set<std::string> events;
  for (const auto& row : TableOfPage("event")) {
    if (row[0] != "event") events.insert(row[0]);
  }
  EXPECT_EQ(states.size(), kNominationStates);
  EXPECT_EQ(events.size(), kNominationEvents);
  for (const NominationState state : AllStates()) {
    EXPECT_TRUE(states.contains(std::string(TextOf(state)))) << TextOf(state);
  }
  for (const Event event : AllEvents()) {
    EXPECT_TRUE(events.contains(std::string(TextOf(event)))) << TextOf(event);
  }
}

TEST(NominationStateTest, EachStateCanBeReachedAndLeft) {
  std::set<NominationState> reached = {kNone};
  for (size_t before = 0; before != reached.size();) {
    before = reached.size();
    for (const NominationState state : std::set<NominationState>(reached)) {
      for (const Event event : AllEvents()) reached.insert(Next(state, event));
    }
  }
  EXPECT_EQ(reached.size(), kNominationStates);
  for (const NominationState state : AllStates()) {
    if (AwaitsAnswer(state)) {
      EXPECT_EQ(Next(state, Event::kSilent), kRefused) << TextOf(state);
      EXPECT_EQ(Next(state, Event::kAsked), kAnswered) << TextOf(state);
    }
    EXPECT_TRUE(AwaitsAnswer(Next(state, Event::kWritten))) << TextOf(state);
    EXPECT_TRUE(IsTakenBack(Next(state, Event::kWithdrawn))) << TextOf(state);
    EXPECT_TRUE(IsTakenBack(Next(state, Event::kWithdrawnAgain))) << TextOf(state);
  }
}

// The desk, the API server and a scheduler that answers nothing, as far as the state shows. The
// watch is late, and so are results of writes.
class Walk {
 public:
  explicit Walk(uint32_t seed) : random_(seed) {}

  /// Nothing if the rules held; otherwise which one did not, and the events.
  std::optional<std::string> Run() {
    for (int i = 0; i < 400; ++i) {
      const NominationState before = state_;
      const Event event = PickEvent();
      state_ = Next(state_, event);
      trace_.push_back(event);
      const std::string broken = Judge(before, event);
      if (!broken.empty()) return broken + ": " + TextOfAll(trace_);
      if (IsNewBeginning(event)) trace_.clear();
    }
    return std::nullopt;
  }

 private:
  static bool IsNewBeginning(Event event) {
    return event == Event::kAsked || event == Event::kMoved || event == Event::kSchedulerChanged ||
           event == Event::kRefusalOver || event == Event::kWithdrawn || event == Event::kNotDue;
  }

  // What the desk may do in the state, or anything that may happen around it.
  Event PickEvent() {
    for (;;) {
      const Event event = AllEvents()[random_() % kNominationEvents];
      if (event == Event::kWritten && Stands(state_)) continue;  // never the same again
      const bool renews = state_ == kShown || state_ == kDoubted || state_ == kAnswered;
      if (event == Event::kWithdrawnAgain && !renews) continue;
      return event;
    }
  }

  std::string Judge(NominationState before, Event event) {
    if (IsNewBeginning(event)) writes_ = repeats_ = doubts_ = 0;
    // Then what was a last chance is an attempt as others.
    if (event == Event::kPaused && IsLastChance(before)) --doubts_, --writes_;
    if (event == Event::kWritten) ++writes_;
    repeats_ += event == Event::kWritten && state_ == kRepeatWritten ? 1 : 0;
    doubts_ += event == Event::kWritten && state_ == kLastWritten ? 1 : 0;
    if (repeats_ > 1) return "repeated more than once";
    if (doubts_ > 1) return "doubted more than once";
    if (writes_ > 3) return "written more than three times without an answer";
    if (IsTakenBack(before) && AwaitsAnswer(state_) && event != Event::kWritten) {
      return "what was taken back counts as written";
    }
    if (before == kAnswered && AwaitsAnswer(state_) && event != Event::kWritten) {
      return "what was answered is awaited";
    }
    if (before == kRefused && Stands(state_) && state_ != kRefused && event != Event::kAsked) {
      return "a refusal was forgotten";
    }
    if (IsLastChance(before) && (state_ == kDoubted || state_ == kCleared)) {
      return "a last chance was doubted";
    }
    return "";
  }

  std::mt19937 random_;
  NominationState state_ = kNone;
  std::vector<Event> trace_;
  int writes_ = 0;  // since the last answer, as are these
  int repeats_ = 0;
  int doubts_ = 0;
};

TEST(NominationStateTest, NoSequenceOfEventsBreaksTheRules) {
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    const auto broken = Walk(seed).Run();
    ASSERT_FALSE(broken) << "seed " << seed << ", " << *broken;
  }
}

}  // namespace
}  // namespace outrigger::desk
