#pragma once

#include <string>

#include "penalty/classes/edges.h"

// What counts of a PodGroup's life, found without states: the phases that were seen are cut into
// runs.

namespace outrigger::penalty {

struct Counts {
  int starts = 0;
  int completions = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
};

// `word` has a letter for each phase that was seen: (W)aiting, (R)unning, (C)ompleted. A run ends
// where W follows C; it is completed if its last letter but W is C.
// `goes_on`: nothing ends a run but the beginning of the journal.
inline Counts Oracle(std::string word, bool is_history, bool goes_on = false) {
  Counts counts;
  if (is_history) {
    word.erase(0, word.find_first_not_of('C'));  // all of them, if there is nothing else
    if (word.starts_with('R')) counts.starts = -1;
  }
  if (goes_on) std::erase(word, 'W');
  for (size_t at = 0; at < word.size();) {
    const size_t boundary = word.find("CW", at);
    std::string run = word.substr(at, boundary == std::string::npos ? boundary : boundary + 1 - at);
    at += run.size();
    std::erase(run, 'W');
    if (run.empty()) continue;
    ++counts.starts;
    if (run.back() == 'C') ++counts.completions;
  }
  return counts;
}

inline Phase PhaseOfLetter(char letter) {
  switch (letter) {
    case 'W':
      return Phase::kWaiting;
    case 'R':
      return Phase::kRunning;
    case 'C':
      return Phase::kCompleted;
    default:
      return Phase::kOther;
  }
}

// Where the process dies while it handles one observation.
enum class Death { kNever, kBeforeJournal, kBeforeMark, kAfterMark };

// What is seen, letter by letter; a group without mark is new to each process.
class Watcher {
 public:
  Watcher(bool is_history, bool goes_on) : is_history_(is_history), goes_on_(goes_on) {}
  void OnSeen(char letter) {
    if (letter != 'O') word_ += letter;
  }
  void OnRestart() {
    const bool is_marked = word_.find('R') != std::string::npos ||
                           (!is_history_ && word_.find('C') != std::string::npos) ||
                           word_.find("WC") != std::string::npos;
    if (!is_marked) word_.clear();
  }
  Counts counts() const { return Oracle(word_, is_history_, goes_on_); }
  const std::string& word() const { return word_; }

 private:
  bool is_history_;
  bool goes_on_;
  std::string word_;
};

}  // namespace outrigger::penalty
