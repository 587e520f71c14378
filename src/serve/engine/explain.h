#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"
#include "serve/engine/engine.h"
#include "serve/engine/text.h"

// What every agent says of a pod on every node, and why: for people, at no particular speed.

namespace outrigger::engine {

/// What one scorer says of one node.
struct ExplainedScore {
  double value = 0;  ///< 0..1, clamped
  int points = 0;    ///< 0..10, as its path answers
  std::string why;   ///< the figures behind it; may be empty
};

/// What one agent says of one node, asked as its own paths ask it: about all nodes.
struct ExplainedAnswer {
  /// Nothing if the agent does not filter, or could not answer.
  std::optional<Verdict::Kind> verdict;
  /// As the scheduler is told, with the agent's name before it; empty if the node fits.
  std::string reason;
  /// Of the agent itself; nothing if it does not score, or could not answer.
  std::optional<ExplainedScore> score;
  /// Aligned with ExplainedAgent::scorers; nothing for one that could not answer.
  std::vector<std::optional<ExplainedScore>> scorers;
};

/// One node, as the merged paths answer for it.
struct ExplainedNode {
  std::string name;
  Verdict::Kind verdict = Verdict::Kind::kFits;
  /// As the scheduler is told: of the first agent that does not take the node.
  std::string reason;
  /// Nothing if no agent scores, or one that does could not answer.
  std::optional<int> points;
  double value = 0;                      ///< 0..1: `points` before it was rounded
  std::vector<ExplainedAnswer> answers;  ///< aligned with Explanation::agents
};

/// Why a path has no answer: the text that the scheduler gets.
struct ExplainedFault {
  std::string path;  ///< "/safe/filter"
  std::string text;
};

struct ExplainedAgent {
  std::string name;
  double weight = 1;
  bool filters = false;
  bool scores = false;
  std::vector<std::string> scorers;    ///< names of its further scorers
  std::vector<ExplainedFault> faults;  ///< empty if all is well
};

/// A value that an agent could not use and took as absent.
struct ExplainedMalformed {
  std::string agent;
  std::string node;  ///< empty: the pod
  std::string field;
  std::string value;
  std::string accepted;
};

struct Explanation {
  std::vector<ExplainedAgent> agents;  ///< in the order in which they were given
  /// Names of agents that filter by what they work out while they serve, and were not asked.
  std::vector<std::string> left_out;
  /// Those that fit first, then by falling merged score, then by name.
  std::vector<ExplainedNode> nodes;
  size_t fitting = 0;  ///< number of nodes that fit; 0 if a filter failed
  /// Of the nodes that do not fit, the most frequent first, then by text.
  std::vector<CountedReason> reasons;
  /// True if a filter could not answer: the scheduler then takes no node at all. Verdicts are
  /// those of the other agents.
  bool filter_failed = false;
  /// Each once, in the order in which they were reported, at most kMaxMalformed.
  std::vector<ExplainedMalformed> malformed;
  static constexpr size_t kMaxMalformed = 100;
};

/// Asks `agents`, made anew, about `pod` on each of `nodes`; the answers are those of the paths of
/// an Engine over the same agents and full nodes. What an agent does beside its calls (a
/// Controller) does not run, and one that filters by that is left out. An agent that cannot answer
/// is a fault in the result, and the others are explained.
///
/// `cluster` is what agents see that read its pods; it may be null, and outlives the call.
///
/// InvalidArgument as Engine::Create(): settings that an agent refuses. `observer` counts as in
/// calls, except malformed values of agents; nodes have a name each. Thread-safe.
absl::StatusOr<Explanation> Explain(const std::vector<ServedAgent>& agents, const Pod& pod,
                                    std::span<const Node> nodes, Observer* observer,
                                    ClusterAccess* cluster = nullptr);

/// What kube-scheduler would say in the pod's FailedScheduling event if it had only these agents
/// and no node fits: "0/3 nodes are available: 1 safe: ..., 2 safe: ...". Empty if some node fits,
/// and if a filter failed (the scheduler then says that instead). Counts the nodes of
/// `explanation.nodes`.
std::string EventText(const Explanation& explanation);

}  // namespace outrigger::engine
