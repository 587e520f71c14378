#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "class_table.h"
#include "group_table.h"
#include "outrigger/agent/agent.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/penalty/journal_maps.h"
#include "outrigger/penalty/ledger.h"
#include "outrigger/penalty/replacement.h"

namespace outrigger::penalty {

/// Says what the agent does: Events, metrics, lines of the log. The texts are those of README.md.
/// Not thread-safe.
class Reports {
 public:
  /// Without `cluster` no Events are written (dry run).
  Reports(const AgentDeps& deps, ClusterWriter* cluster);

  void OnLeading(bool leads);
  /// Counts an edge, and remembers whose it was until its class gets its next value.
  /// By the policy of its class: what adds nothing is no cause.
  void OnEdge(const CountedEdge& edge, const Policy& policy);
  /// The class is not kept any more.
  void Forget(std::string_view class_name);
  /// The cause of the next change of a class: "start default/job-1", "recovery".
  std::string CauseOf(std::string_view class_name) const;
  /// Of a class that the view has; null: it does not. Says each change once, however often its
  /// intent is found.
  void OnReplaced(const Replacement& replacement, const PriorityClass* in_cluster);
  /// A change that would be made (dry run).
  void OnDryRun(const ClassAccount& account, int64_t target);
  /// Which selected classes are left alone: says each once, until its reason changes.
  void OnClasses(const ClassTable& classes, const RefusedClasses& refused, const Ledger& ledger);
  void OnAccounts(const Ledger& ledger, const ClassTable& classes, Millis now);
  void OnMarkProblem(const PodGroup& group, const std::string& problem);
  /// Of a journal that was not as it was written.
  void OnJournal(const std::vector<JournalFinding>& findings, const ClassTable& classes);
  /// A call that failed, by what it is for: "journal", "mark", "replace".
  void OnError(std::string_view call, const absl::Status& status);

 private:
  void Record(const PriorityClass& about, bool warning, std::string reason, std::string note);
  void Record(const PodGroup& about, bool warning, std::string reason, std::string note);
  void LogOnce(const std::string& line);

  const std::function<void(std::string_view line)> log_;
  const std::function<void(std::string_view line)> warn_;
  AgentMetrics* const metrics_;
  ClusterWriter* const cluster_;
  std::map<std::string, std::vector<CountedEdge>, std::less<>> causes_;      // by class
  std::map<std::string, std::string, std::less<>> left_alone_;               // class: message
  std::map<std::string, std::pair<int64_t, Millis>, std::less<>> reported_;  // class: epoch, begun
  std::map<std::string, std::string, std::less<>> refusals_;                 // class: message
  std::set<std::string, std::less<>> logged_;
};

}  // namespace outrigger::penalty
