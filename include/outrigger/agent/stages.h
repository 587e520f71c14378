#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "outrigger/agent/request.h"
#include "outrigger/agent/verdict.h"

namespace outrigger {

// The stages that an agent may implement, each a small interface from which the agent inherits. All
// methods may be called from several threads at once: an agent must lock its state, and must not
// hold a lock during a network call.

/// Decides which nodes may run the pod.
///
/// Runs in the scheduler's single loop: its latency delays every pod of the cluster. It must not
/// reserve anything: the scheduler may call twice and discard the result.
class Filterer {
 public:
  virtual ~Filterer() = default;
  /// `verdicts[i]` answers for `request.nodes[i]`, in a span of the same size that says Fits
  /// everywhere at first. An error Status means that there is no result; it fails the scheduling
  /// cycle.
  virtual absl::Status Filter(const Request& request, std::span<Verdict> verdicts) const = 0;
};

/// Scores each node.
class Scorer {
 public:
  virtual ~Scorer() = default;
  /// `scores[i]` answers for `request.nodes[i]`, in [0, 1]; zero at first.
  virtual absl::Status Score(const Request& request, std::span<NodeScore> scores) const = 0;
};

/// The pod and node of a bind call. Views live as long as the call.
struct BindRequest {
  std::string_view pod_namespace;
  std::string_view pod_name;
  std::string_view pod_uid;
  std::string_view node;
  /// Stop is requested when the scheduler has disconnected or the server stops: a waiting Bind must
  /// then return soon, with any Status. Callbacks on it must be quick.
  std::stop_token abandoned = {};
};

/// Binds a pod instead of the scheduler; may block for minutes (a permit barrier).
///
/// Must be idempotent by (pod UID, node): "already bound there" is success. The scheduler gets the
/// Status as the reason of the failure. Its code says whether the pod may still be bound
/// (MayBeBound()): a Binder that never sent the binding returns a code that excludes it, such as
/// Aborted.
class Binder {
 public:
  virtual ~Binder() = default;
  virtual absl::Status Bind(const BindRequest& request) = 0;
};

/// True if a pod may be bound although its binding failed with `error`: Unavailable,
/// DeadlineExceeded, Cancelled, Internal and Unknown do not exclude it, since only the API server's
/// response may be lost.
inline bool MayBeBound(const absl::Status& error) {
  return absl::IsUnavailable(error) || absl::IsDeadlineExceeded(error) ||
         absl::IsCancelled(error) || absl::IsInternal(error) || absl::IsUnknown(error);
}

/// Why a prepared pod is not bound, or not known to be bound.
struct BindFailure {
  /// The error of this PreBind(), of a later one, or of the binding. Cancelled: the caller
  /// disconnected before the binding was sent.
  absl::Status why;
  /// The binding was sent, and MayBeBound(why): read the pod before you release anything. False:
  /// the binding was not sent, or was rejected; this call did not bind the pod.
  bool may_be_bound = false;
};

/// Prepares what a pod needs on its node, just before the pod is bound there (upstream's PreBind).
///
/// In a bind call the engine runs PreBind() of the endpoint's agents in their order, then binds: by
/// the one Binder among them, else by itself (ClusterWriter::Bind(), for 10 s at most). At
/// /<agent>/bind that is the one agent, at the merged /bind it is all that are served. Each
/// PreBind() that was called is followed by exactly one of PostBind() and UndoPreBind(), in the
/// same thread and before the call is answered, whatever fails or throws, unless the process dies.
/// All of them may block as a Binder may, within the scheduler's timeout for the bind call. A
/// Binder that waits (a permit barrier) does so after PreBind(): prepared things are held
/// meanwhile.
class PreBinder {
 public:
  virtual ~PreBinder() = default;
  /// An error Status ends the call: nothing is bound, and the scheduler gets the Status, prefixed
  /// with the agent's name, as the reason of the failure. Must be idempotent by (pod UID, node):
  /// the scheduler calls again after each failure. Ok for a pod that needs nothing of this agent.
  virtual absl::Status PreBind(const BindRequest& request) = 0;
  /// The pod was not bound, or the result is unknown. Also called after a failed PreBind(). Agents
  /// are called in reverse order. `request.abandoned` may already have a stop request.
  virtual void UndoPreBind(const BindRequest& request, const BindFailure& failure) = 0;
  /// The pod is bound. Agents are called in order.
  virtual void PostBind(const BindRequest& request) = 0;
};

/// Candidate victims on one node.
struct NodeVictims {
  std::string node;
  std::vector<std::string> pod_uids;
  int64_t pdb_violations = 0;
};

/// The arguments of a preempt call. Victims are UIDs in both forms of the protocol.
struct PreemptRequest {
  const Pod& pod;
  std::span<const NodeVictims> candidates;
};

/// Narrows the nodes on which preemption may happen, or the victims there.
class Preempter {
 public:
  virtual ~Preempter() = default;
  /// Fills `chosen` with a subset of the candidates; every victim must be one of that node's
  /// candidates, unless that node has none: then the agent chooses pods of the node. Empty:
  /// preemption helps on no node.
  virtual absl::Status Preempt(const PreemptRequest& request,
                               std::vector<NodeVictims>* chosen) const = 0;
};

/// Runs in parallel to the extender calls: watches, recomputes, writes. Start() returns soon;
/// Stop() returns when nothing runs any more, and may be called again. Stop() comes before the last
/// calls are answered: calls that wait for the controller must then return.
class Controller {
 public:
  virtual ~Controller() = default;
  virtual absl::Status Start() = 0;
  virtual void Stop() = 0;
  /// Not OK once the agent has been stuck for so long that only a restart helps: `/livez` then
  /// fails. Called from any thread once Start() has returned, also during Stop() and after it; must
  /// not block.
  virtual absl::Status Live() const { return absl::OkStatus(); }
  /// Not OK while the agent cannot answer calls: `/readyz` then fails, and `/readyz?verbose` has
  /// the reason in the line "agent-<name>". Called as Live().
  virtual absl::Status Ready() const { return absl::OkStatus(); }
  /// False for an agent that needs only the request, even before Start(): `outrigger explain` can
  /// ask it, and a filter call that rejects every node may wait some milliseconds for node updates.
  /// True for an agent that plans while it runs: `outrigger explain` cannot ask it, and the agent
  /// itself requeues pods.
  virtual bool IsNeededToAnswer() const { return true; }
};

}  // namespace outrigger
