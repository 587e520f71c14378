// Groups of two classes, their marks and the journal's ConfigMaps, which outlive processes that die
// at any point; beside the oracle of edges.
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "penalty/classes/edges/life_oracle_testing.h"
#include "penalty/classes/journal.h"
#include "penalty/classes/ledger/ledger_testing.h"
#include "rapidcheck.h"

namespace outrigger::penalty {
namespace {

constexpr std::array<const char*, 2> kClasses = {"gold", "silver"};

struct Group {
  std::string uid;
  bool is_history = false;
  Watcher watcher;
  std::optional<std::string> mark;  // on the object
};

class Cluster {
 public:
  Cluster() {
    policy_.start = {Increment::Kind::kFlat, 1};
    policy_.completion = {Increment::Kind::kFlat, 1};
    Ledger ledger(kNow);
    for (const char* name : kClasses) RC_ASSERT(ledger.Add(NewAccount(name, 1000)).ok());
    process_.emplace(ledger);
    Keep(Ledger::Urgency::kNow);
    for (int i = 0; i < 6; ++i) {
      groups_.push_back({UidOf(i), i % 3 == 0, Watcher(i % 3 == 0, false), {}});
    }
  }

  size_t size() const { return groups_.size(); }

  // A process sees a group's phase.
  void See(size_t which, char letter, Death death) {
    if (!process_) Restart();
    Group* group = &groups_[which];
    if (Handle(which, PhaseOfLetter(letter), death)) group->watcher.OnSeen(letter);
    if (death != Death::kNever) Die();
  }

  // The journal in the cluster has what the oracle counts, as soon as a process could say so.
  void Check() const {
    std::array<Counts, 2> expected;
    for (size_t i = 0; i < groups_.size(); ++i) {
      const Counts counts = groups_[i].watcher.counts();
      expected[i % 2].starts += counts.starts;
      expected[i % 2].completions += counts.completions;
    }
    const JournalRead read = ReadJournal(Maps(), kNow);
    RC_ASSERT(read.findings.empty());
    for (size_t i = 0; i < kClasses.size(); ++i) {
      const Account& account = read.ledger.Find(kClasses[i])->account;
      RC_ASSERT(account.starts == expected[i].starts);
      RC_ASSERT(account.completions == expected[i].completions);
      // Nothing decays here: both count as one each, and what is taken back is gone.
      RC_ASSERT(account.penalty == expected[i].starts + expected[i].completions);
    }
  }

 private:
  struct Process {
    explicit Process(Ledger read) : ledger(std::move(read)) {}
    Ledger ledger;
    std::map<size_t, GroupState> states;
  };

  std::vector<ConfigMap> Maps() const {
    std::vector<ConfigMap> maps;
    for (const auto& [which, map] : maps_) maps.push_back(map);
    return maps;
  }
  void Restart() {
    const JournalRead read = ReadJournal(Maps(), kNow);
    RC_ASSERT(read.findings.empty());
    process_.emplace(read.ledger);
  }
  void Die() {
    process_.reset();
    for (Group& group : groups_) group.watcher.OnRestart();
  }
  void Keep(Ledger::Urgency urgency) {
    for (const JournalMap& which : process_->ledger.Unwritten(urgency)) {
      maps_[which] = *WriteJournalMap(process_->ledger, which);
      process_->ledger.OnJournalWritten(which);
    }
  }

  // False: the process died before it kept what it saw.
  bool Handle(size_t which, Phase phase, Death death) {
    Group* group = &groups_[which];
    Ledger* ledger = &process_->ledger;
    bool needs_mark = false;
    if (!process_->states.contains(which)) {
      const FirstSight sight = StateAtFirstSight(group->mark ? &*group->mark : nullptr,
                                                 ledger->PendingOf(group->uid), phase);
      needs_mark = sight.needs_mark;
      process_->states[which] = sight.state;
    }
    GroupState* state = &process_->states[which];
    const Transition transition = OnPhase(*state, phase, group->is_history);
    const auto next = ledger->Count(kClasses[which % 2], {group->uid, "default", "research"},
                                    *state, transition, {policy_, bounds_, policy_}, kNow);
    RC_ASSERT(next.ok());
    const bool counts = !transition.edges.empty();
    if (counts && death == Death::kBeforeJournal) return false;
    Keep(Ledger::Urgency::kNow);
    *state = *next;
    if (transition.has_new_mark || needs_mark) {
      if (death == Death::kBeforeJournal || death == Death::kBeforeMark) {
        return counts || !transition.has_new_mark;
      }
      group->mark = MarkText(*state);
    }
    if (death == Death::kAfterMark) return true;
    ledger->DropPending(group->uid);
    if (*rc::gen::arbitrary<bool>()) Keep(Ledger::Urgency::kLater);
    return true;
  }

  Policy policy_;
  Bounds bounds_ = {.base = 1000, .floor = 100, .top = 1000, .quantum = 50};
  std::vector<Group> groups_;
  std::map<JournalMap, ConfigMap> maps_;
  std::optional<Process> process_;
};

TEST(RestartTest, EachEdgeCountsOnceWhateverDiesAndIsListedAgain) {
  EXPECT_TRUE(rc::check("each edge once", [] {
    Cluster cluster;
    std::vector<char> phases(cluster.size(), 'W');
    const int steps = *rc::gen::inRange(1, 60);
    for (int i = 0; i < steps; ++i) {
      const size_t which = *rc::gen::inRange<size_t>(0, cluster.size());
      // Now and then the phase is the same, as a relist shows it.
      if (*rc::gen::inRange(0, 4) > 0) phases[which] = *rc::gen::element('W', 'R', 'C', 'O');
      cluster.See(which, phases[which],
                  *rc::gen::weightedElement<Death>({{8, Death::kNever},
                                                    {1, Death::kBeforeJournal},
                                                    {1, Death::kBeforeMark},
                                                    {1, Death::kAfterMark}}));
      cluster.Check();
    }
  }));
}

}  // namespace
}  // namespace outrigger::penalty
