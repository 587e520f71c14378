#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "outrigger/base/mutex.h"
#include "serve/engine/instance.h"

namespace outrigger::engine {

/// The memory of one call, reused by later ones: at thousands of nodes, fresh memory costs more
/// than the work.
struct CallState {
  wire::ExtenderArgs args;
  std::stop_token abandoned;
  std::shared_ptr<const NodeView> view;  // pinned for names-only calls
  std::vector<Node> bare;                // nodes of which only the name is known
  std::vector<NodeRef> nodes;            // aligned with args.names

  std::vector<Verdict::Kind> kinds;    // the answer, aligned with args.names
  std::vector<std::string> reasons;    // aligned too
  std::vector<size_t> reasoned;        // where reasons are not empty
  bool left_out = false;               // a node does not fit and has no reason of its own
  std::vector<NodeRef> offered;        // what one agent is asked about, unless it is all
  std::vector<size_t> offered_index;   // where those stand in args.names
  std::vector<Verdict> verdicts;       // its answer
  std::vector<NodeScore> node_scores;  // its answer
  std::vector<double> sums;            // of weighted scores
  std::vector<int> scores;             // the answer, 0..10
};

/// Hands out call states, the last one returned first (its memory is the warmest), and keeps a
/// bounded number. Thread-safe.
class CallStatePool {
 public:
  std::unique_ptr<CallState> Take();
  /// Not kept if it grew beyond what a cluster of usual size needs, or if enough wait already.
  void Return(std::unique_ptr<CallState> state);

 private:
  Mutex mutex_;
  std::vector<std::unique_ptr<CallState>> free_ ABSL_GUARDED_BY(mutex_);
};

/// What went wrong in a call, and whose fault it was.
struct CallError {
  ErrorKind kind = ErrorKind::kNone;
  std::string text;
  bool ok() const { return kind == ErrorKind::kNone; }
};

/// What is said to nobody, once the caller disconnected.
inline CallError Abandoned() {
  return {ErrorKind::kAbandoned, "the caller disconnected"};
}

/// What a decoder refuses.
CallError FromDecoding(const absl::Status& status);

/// Fills `state->nodes` for the nodes that were offered: those of a names-only call come from
/// `source` (may be null), of which one view is pinned. What it does not know stays a name.
CallError ResolveNodes(const Pipeline& pipeline, const NodeSource* source, Observer* observer,
                       CallState* state);

/// Runs the filters of `pipeline` over `state->nodes`: fills `kinds` and `reasons`. Each filter is
/// asked about the nodes that its predecessors left, so the first reason wins.
CallError RunFilters(const Pipeline& pipeline, bool explaining, Observer* observer,
                     CallState* state);

/// Runs the scorers of `pipeline` over `state->nodes`: fills `scores` with 0..10.
CallError RunScorers(const Pipeline& pipeline, bool explaining, Observer* observer,
                     CallState* state);

}  // namespace outrigger::engine
