#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "books.h"
#include "class_table.h"
#include "followed/group_policies.h"
#include "group_table.h"
#include "outrigger/agent/agent.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/page.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"
#include "outrigger/base/pace.h"
#include "penalty/classes/journal_store.h"
#include "penalty/classes/ledger.h"
#include "penalty/classes/replacement.h"
#include "reports.h"
#include "settings.h"
#include "values.h"

namespace outrigger::penalty {

/// Ends a term from within, as a stop request does from outside. Thread-safe.
class TermEnd {
 public:
  /// A term begins, and ends.
  void BeginTerm();
  void EndTerm();
  /// Asks the term to end.
  void Ask();
  /// True once it was asked: the term begins nothing new.
  bool IsFinishing() const;
  /// Waits for the end of the term, for `limit` at most.
  void Await(std::chrono::milliseconds limit);

 private:
  mutable Mutex mutex_;
  std::condition_variable_any ended_;
  bool is_leading_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_finishing_ ABSL_GUARDED_BY(mutex_) = false;
};

/// Counts what PodGroups do, and keeps the values of classes as the policy wants them: what the one
/// process does that holds the Lease. Lead() and what it calls belong to one thread; FillPage() and
/// Wake() are thread-safe.
class Keeper {
 public:
  /// `deps.cluster` is not null and outlives this.
  Keeper(const AgentDeps& deps, Options options);

  /// Works until the end of the term.
  void Lead(const std::stop_token& term);
  /// Something has changed.
  void Wake() { pace_.Wake(); }
  /// Lets the change that is under way be made, and returns once nothing is under way and nothing
  /// begins any more, or after `limit`.
  void Finish(std::chrono::milliseconds limit);

  /// Fills a page of PenaltyPages(). Unavailable: this process does not lead.
  absl::Status FillPage(std::string_view page, PageTable* table) const;

  // The parts of Lead(), for tests.

  /// Reads the journal, and ends what an earlier process had begun.
  absl::Status Begin(const std::stop_token& term);
  /// Looks at the cluster once, and does what is due. Returns when the next look is due though
  /// nothing has changed; nothing: never. Begin() comes first.
  std::optional<Millis> Round(const std::stop_token& term);

 private:
  Millis Now() const;
  absl::Status FillPods(const std::map<std::string, int64_t, std::less<>>& mapped,
                        PageTable* table) const;
  void SetLeads(bool leads);
  bool IsNews(const ClusterObjects& objects) const;
  void TryAgain();

  // Classes.
  void Settle(const ClusterObjects& objects, const std::stop_token& term);
  void AddAccounts(const ClusterObjects& objects);
  void CheckAccount(const ClassAccount& account, const std::stop_token& term);
  bool IsAsWritten(const ClassAccount& account, const PriorityClass& in_cluster);
  void LetGo(const ClassAccount& account, const ClassRules& rules, const std::stop_token& term);
  void Forget(const std::string& class_name);
  void MakeTable(std::shared_ptr<const ClusterObjects> objects);

  // PodGroups.
  bool CountGroups(const std::stop_token& term);
  bool WriteUrgent(const std::stop_token& term);
  bool WriteMarks(const GroupNews& news, const std::stop_token& term);
  void DropMarks(const GroupNews& news);
  absl::Status WriteJournal(const std::stop_token& term);
  bool KnowsPolicies();

  std::optional<Millis> NextLook() const;

  const Clock clock_;
  const Options options_;
  ClusterAccess* const cluster_;
  JournalStore store_;
  Reports reports_;
  Books books_;
  Pace pace_;
  TermEnd term_end_;
  std::atomic<bool> quotas_changed_ = false;
  Values values_;

  std::optional<GroupPolicies> policies_;  // of a term
  Millis begun_ = 0;                       // the term
  Delay begin_delay_;
  Delay journal_delay_;
  Delay marks_delay_;
  Millis later_written_ = 0;
  std::vector<JournalFinding> findings_;  // of the journal as it was read, not reported yet
  std::map<std::string, std::string, std::less<>> checked_;  // class: the version that was checked
  bool has_begun_ = false;
  std::optional<Millis> retry_at_;   // of what failed and has no time of its own
  std::optional<Millis> next_look_;  // as Round() returned it

  bool leads_ = false;  // with the lock of the books
};

}  // namespace outrigger::penalty
