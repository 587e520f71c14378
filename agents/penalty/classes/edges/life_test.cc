// Lives of PodGroups through flapping phases, relists and processes that die at any point, beside
// an oracle that knows no states: it cuts the phases that were seen into runs.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "penalty/classes/edges.h"
#include "penalty/classes/edges/life_oracle_testing.h"
#include "rapidcheck.h"

namespace outrigger::penalty {
namespace {

// One group, one journal, and a process that counts.
class World {
 public:
  World(bool is_history, bool is_soon) : is_history_(is_history), is_soon_(is_soon) {}

  /// False: the process died before it kept what it saw.
  bool See(Phase phase, Death death, bool drops_pending) {
    const FirstSight sight = StateAtFirstSight(mark_ ? &*mark_ : nullptr, pending_, phase);
    const bool is_first = !state_.has_value();
    if (is_first) state_ = sight.state;
    Transition transition = OnPhase(*state_, phase, is_history_, is_soon_);
    // As the ledger does.
    if (!transition.edges.empty() && transition.edges.back() == EdgeKind::kCompletion) {
      transition.next.completion = {0, ++clock_};
    }
    if (!transition.edges.empty()) {
      if (death == Death::kBeforeJournal) return Die(false);
      Journal(transition);
    }
    state_ = transition.next;
    if (transition.has_new_mark || (is_first && sight.needs_mark)) {
      const bool is_kept = !transition.edges.empty() || !transition.has_new_mark;
      if (death != Death::kNever && death != Death::kAfterMark) return Die(is_kept);
      mark_ = MarkText(*state_);
    }
    if (drops_pending) pending_.reset();
    return death == Death::kNever || Die(true);
  }

  const Counts& counts() const { return counts_; }
  bool runs() const { return state_.has_value(); }

 private:
  void Journal(const Transition& transition) {
    for (const EdgeKind edge : transition.edges) {
      if (edge == EdgeKind::kStart) ++counts_.starts;
      if (edge == EdgeKind::kCompletion) ++counts_.completions;
      if (edge == EdgeKind::kTakenBack) --counts_.completions;
    }
    pending_ = transition.next;
  }
  bool Die(bool is_kept) {
    state_.reset();
    return is_kept;
  }

  bool is_history_;
  bool is_soon_;
  Millis clock_ = 0;
  std::optional<std::string> mark_;    // on the group
  std::optional<GroupState> pending_;  // in the journal
  Counts counts_;                      // in the journal
  std::optional<GroupState> state_;    // of the process
};

TEST(LifeTest, TheOracleIsRightAboutWhatIsKnown) {
  EXPECT_EQ(Oracle("WRC", false), (Counts{1, 1}));
  EXPECT_EQ(Oracle("WRWRWRC", false), (Counts{1, 1}));
  EXPECT_EQ(Oracle("WRCR", false), (Counts{1, 0}));
  EXPECT_EQ(Oracle("WRCWRC", false), (Counts{2, 2}));
  EXPECT_EQ(Oracle("WRCWRC", false, true), (Counts{1, 1}));
  EXPECT_EQ(Oracle("WRCWR", false, true), (Counts{1, 0}));
  EXPECT_EQ(Oracle("WRCW", false, true), (Counts{1, 1}));
  EXPECT_EQ(Oracle("CWR", true, true), (Counts{1, 0}));
  EXPECT_EQ(Oracle("RC", true), (Counts{0, 1}));
  EXPECT_EQ(Oracle("CC", true), (Counts{0, 0}));
  EXPECT_EQ(Oracle("CWR", true), (Counts{1, 0}));
}

// All lives of up to eight phases, each seen once and each seen twice (a relist).
TEST(LifeTest, EveryShortLifeIsCountedAsTheOracleDoes) {
  int lives = 0;
  std::vector<std::string> words = {""};
  for (size_t at = 0; at < words.size(); ++at) {
    if (words[at].size() < 8) {
      for (const char letter : {'W', 'R', 'C'}) words.push_back(words[at] + letter);
    }
    for (const bool is_history : {false, true}) {
      for (const auto& [times, goes_on] : {std::pair(1, false), {2, false}, {1, true}}) {
        World world(is_history, goes_on);
        for (const char letter : words[at]) {
          for (int i = 0; i < times; ++i) world.See(PhaseOfLetter(letter), Death::kNever, true);
        }
        ASSERT_EQ(world.counts(), Oracle(words[at], is_history, goes_on))
            << words[at] << " " << is_history << goes_on;
        ++lives;
      }
    }
  }
  EXPECT_EQ(lives, 9841 * 6);
}

TEST(LifeTest, LivesThroughRestartsAreCountedAsTheOracleDoes) {
  EXPECT_TRUE(rc::check("each edge once", [] {
    const bool is_history = *rc::gen::arbitrary<bool>();
    const bool goes_on = *rc::gen::arbitrary<bool>();
    World world(is_history, goes_on);
    Watcher watcher(is_history, goes_on);
    const int length = *rc::gen::inRange(1, 40);
    char letter = 'W';
    for (int i = 0; i < length; ++i) {
      // Now and then the phase is the same, as a relist shows it.
      if (*rc::gen::inRange(0, 3) > 0) letter = *rc::gen::element('W', 'R', 'C', 'O');
      const Death death = *rc::gen::weightedElement<Death>({{4, Death::kNever},
                                                            {1, Death::kBeforeJournal},
                                                            {1, Death::kBeforeMark},
                                                            {1, Death::kAfterMark}});
      if (world.See(PhaseOfLetter(letter), death, *rc::gen::arbitrary<bool>())) {
        watcher.OnSeen(letter);
      }
      if (!world.runs()) watcher.OnRestart();
      RC_LOG() << letter << static_cast<int>(death) << " " << watcher.word() << "\n";
      RC_ASSERT(world.counts() == watcher.counts());
    }
  }));
}

}  // namespace
}  // namespace outrigger::penalty
