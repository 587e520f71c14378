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
#include "penalty/classes/journal_maps.h"
#include "penalty/classes/ledger.h"
#include "penalty/classes/replacement.h"

namespace outrigger::penalty {

/// Says what the agent does: Events, metrics, lines of the log. The texts are those of README.md.
/// Not thread-safe.
class Reports {
 public:
  /// Without `cluster` no Events are written (dry run).
  Reports(const AgentDeps& deps, ClusterWriter* cluster);

  void OnLeading(bool leads);
  /// Counts an edge, and remembers whose it was until its class gets the value that is of it. What
  /// adds nothing is no cause.
  void OnEdge(const CountedEdge& edge);
  /// The class is not kept any more.
  void Forget(std::string_view class_name);
  /// Returns the cause of a change that begins: "start default/job-1", "recovery". Later edges are
  /// none of its causes.
  std::string BeginChange(const std::string& class_name);
  /// Of a class that the view has; null: it does not. Says each change once, however often its
  /// intent is found.
  void OnReplaced(const Replacement& replacement, const PriorityClass* in_cluster);
  /// A change that would be made (dry run).
  void OnDryRun(const ClassAccount& account, int64_t target);
  /// Which selected classes are left alone, or have no room to fall: says each once, until its
  /// reason changes.
  void OnClasses(const ClassTable& classes, const RefusedClasses& refused, const Ledger& ledger);
  /// New pods of a class do not get the value that it is to have (replacement: mapped).
  void OnNotMapped(const PriorityClass& in_cluster, const ClassAccount& account);
  /// Values and points of the penalised classes; a class that is none any more has no series.
  void OnAccounts(const Ledger& ledger, const ClassTable& classes, Millis now);
  /// Of annotations of queues and namespaces.
  void OnPolicyProblems(std::vector<ClusterEvent> problems);
  void OnMarkProblem(const PodGroup& group, const std::string& problem);
  /// Of a journal that was not as it was written.
  void OnJournal(const std::vector<JournalFinding>& findings, const ClassTable& classes);
  /// A call that failed, by what it is for: "journal", "mark", "replace".
  void OnError(std::string_view call, const absl::Status& status);

 private:
  void Record(const PriorityClass& about, bool warning, std::string reason, std::string note);
  void Record(const PodGroup& about, bool warning, std::string reason, std::string note);
  void LogOnce(const std::string& line);
  void Unmeasure(const std::set<std::string, std::less<>>& classes);
  void OnRoom(const std::string& name, const ClassRules& rules);

  const std::function<void(std::string_view line)> log_;
  const std::function<void(std::string_view line)> warn_;
  AgentMetrics* const metrics_;
  ClusterWriter* const cluster_;
  std::map<std::string, std::vector<CountedEdge>, std::less<>> causes_;      // by class
  std::map<std::string, size_t, std::less<>> begun_;                         // how many of these
  std::map<std::string, std::string, std::less<>> left_alone_;               // class: message
  std::map<std::string, std::string, std::less<>> rooms_;                    // class: message
  std::map<std::string, std::pair<int64_t, Millis>, std::less<>> reported_;  // class: epoch, begun
  std::map<std::string, std::string, std::less<>> refusals_;                 // class: message
  std::set<std::string, std::less<>> logged_;
  std::set<std::string, std::less<>> measured_;  // classes with series of values
};

}  // namespace outrigger::penalty
