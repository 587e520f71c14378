#pragma once

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "books.h"
#include "class_table.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/base/clock.h"
#include "outrigger/k8s/priority_class.h"
#include "penalty/classes/journal_store.h"
#include "penalty/classes/ledger.h"
#include "penalty/classes/replacement.h"
#include "penalty/classes/time.h"
#include "reports.h"
#include "settings.h"
#include "stand_ins.h"

namespace outrigger::penalty {

// A class that another writer made: a person, or a tool that applies manifests.

/// What became of a class that has an account, and that is as `fresh` now.
Replacement AdoptedAs(const ClassAccount& account, const PriorityClass& fresh, Millis now);

/// The class that was adopted, as far as Ledger::Adopt() reads it.
PriorityClass AsFound(const Replacement& adopted);

/// Gives classes the values that their accounts want, and notes in the books and in the journal
/// what became of them. A class that could not be replaced has a pause. Of the leading thread.
class Values {
 public:
  /// All that is pointed to outlives this.
  Values(ClusterAccess* cluster, const Options* options, const Clock* clock, Books* books,
         JournalStore* store, Reports* reports);

  /// A term begins: nothing is known of failures before it. Errors: as StandIns::Begin().
  absl::Status Begin(const std::stop_token& term);
  /// Ends what an earlier process, or a failure, has left, unless that failed a moment ago.
  void Recover(const std::stop_token& term);
  bool HasOpenIntents() const { return replacer_.HasOpenIntents(); }

  /// Mode `mapped`: does all that is due but new values, before ReplaceDue().
  void TidyStandIns(const ClusterView& view, const std::stop_token& term);
  StandIns& stand_ins() { return stand_ins_; }

  /// Replaces the classes whose values are due, until `stops` says so.
  void ReplaceDue(const std::stop_token& term, const std::function<bool()>& stops);
  /// Gives a class its base that is no longer selected. True: it has it, or is another's.
  bool GiveBack(const ClassAccount& account, const PriorityClass& in_cluster,
                const std::stop_token& term);
  /// The class is not kept any more.
  void Forget(const std::string& class_name) { delays_.erase(class_name); }

  /// Notes what became of a class, in the journal, too. May come twice for one replacement.
  absl::Status Account(const Replacement& replacement);

  /// When the next class, or what is left to recover, is due; nothing: never.
  std::optional<Millis> NextDue() const;

 private:
  Millis Now() const;
  std::optional<Millis> DueOf(const ClassAccount& account) const;
  bool IsDelayed(const std::string& class_name) const;
  void ReplaceOne(const ClassAccount& account, const ClassRules& rules,
                  const std::stop_token& term);
  void MapOne(const ReplaceRequest& wanted, const ClassRules& rules, const std::stop_token& term);
  void OnOutcome(const Replacement& replacement);

  const Options& options_;
  const Clock& clock_;
  Books& books_;
  JournalStore& store_;
  Reports& reports_;
  Replacer replacer_;
  StandIns stand_ins_;
  std::stop_token term_;
  std::map<std::string, Delay, std::less<>> delays_;  // by class, after failures
  Delay recover_delay_;
};

}  // namespace outrigger::penalty
