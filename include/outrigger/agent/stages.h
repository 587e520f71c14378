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

// The stages that an agent may implement, each one small interface; an agent inherits from those it
// has. All methods may be called from several threads at once, so an agent with state locks it, and
// none may hold a lock across a network call.

/// Decides which nodes may run the pod.
///
/// On the scheduler's single loop: its latency stalls every pod of the cluster. It must commit to
/// nothing: the scheduler may ask twice and throw the answer away.
class Filterer {
 public:
  virtual ~Filterer() = default;
  /// `verdicts[i]` answers for `request.nodes[i]`, in a span of the same size that says Fits
  /// everywhere at first. A Status means that no answer can be given and fails the cycle.
  virtual absl::Status Filter(const Request& request, std::span<Verdict> verdicts) const = 0;
};

/// Says how gladly each node is taken.
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
  /// Stop is requested when the scheduler has gone, or the server stops: a Bind that waits has to
  /// return soon then, with any Status. Callbacks on it must be quick.
  std::stop_token abandoned = {};
};

/// Binds a pod in the scheduler's place; may block for minutes (a permit barrier).
///
/// Must be idempotent by (pod UID, node): "already bound there" is success. A Status is what the
/// scheduler sees as the reason of the failure. Its code says whether the pod may be bound all the
/// same (MayBeBound()): one that waits and then never asks for the binding answers with a code that
/// excludes it, such as Aborted.
class Binder {
 public:
  virtual ~Binder() = default;
  virtual absl::Status Bind(const BindRequest& request) = 0;
};

/// Whether a pod may be bound though its binding failed with `error`: Unavailable,
/// DeadlineExceeded, Cancelled, Internal and Unknown do not exclude it, since the answer of the API
/// server may be what was lost.
inline bool MayBeBound(const absl::Status& error) {
  return absl::IsUnavailable(error) || absl::IsDeadlineExceeded(error) ||
         absl::IsCancelled(error) || absl::IsInternal(error) || absl::IsUnknown(error);
}

/// Why a pod that was prepared is not bound, or not known to be.
struct BindFailure {
  /// The error of this PreBind(), of a later one, or of the binding. Cancelled: the caller had gone
  /// before the binding was asked for.
  absl::Status why;
  /// The binding was asked for, and MayBeBound(why): the pod has to be read before anything is
  /// given back. False: the binding was not asked for, or it is refused; the pod is not bound
  /// by this call.
  bool may_be_bound = false;
};

/// Prepares what a pod needs on its node, just before the pod is bound there (upstream's PreBind).
///
/// In a bind call the engine runs PreBind() of the endpoint's agents in their order, then binds: by
/// the one Binder among them, else by itself (ClusterWriter::Bind(), for 10 s at most). At
/// /<agent>/bind that is the one agent, at the merged /bind it is all that are served. Each
/// PreBind() that was called is followed by exactly one of PostBind() and UndoPreBind(), in the
/// same thread and before the call is answered, whatever fails or throws, unless the process dies.
/// All of it blocks as a Binder may, within the bind call's limit at the scheduler. A Binder that
/// waits (a permit barrier) does so after PreBind(): what was prepared is held meanwhile.
class PreBinder {
 public:
  virtual ~PreBinder() = default;
  /// A Status ends the call: nothing is bound, and it is what the scheduler sees as the reason of
  /// the failure, with the agent's name before it. Must be idempotent by (pod UID, node): the
  /// scheduler asks again after each failure. A pod that needs nothing of this agent is Ok.
  virtual absl::Status PreBind(const BindRequest& request) = 0;
  /// The pod was not bound, or that is not known. Also after a PreBind() that failed itself. In
  /// reverse order. `request.abandoned` may have been requested to stop already.
  virtual void UndoPreBind(const BindRequest& request, const BindFailure& failure) = 0;
  /// The pod is bound. In order.
  virtual void PostBind(const BindRequest& request) = 0;
};

/// Candidate victims on one node.
struct NodeVictims {
  std::string node;
  std::vector<std::string> pod_uids;
  int64_t pdb_violations = 0;
};

/// The question of a preempt call. Victims come by UID in either form of the protocol.
struct PreemptRequest {
  const Pod& pod;
  std::span<const NodeVictims> candidates;
};

/// Narrows the nodes on which preemption may happen, or the victims there.
class Preempter {
 public:
  virtual ~Preempter() = default;
  /// Fills `chosen` with a subset of the candidates; every victim must be one of that node's
  /// candidates, unless that node has none: then the agent chooses pods of the node. An empty
  /// answer means that preemption helps nowhere.
  virtual absl::Status Preempt(const PreemptRequest& request,
                               std::vector<NodeVictims>* chosen) const = 0;
};

/// Runs beside the extender calls: watches, recomputes, writes. Start() returns soon; Stop()
/// returns when nothing runs any more, and may be called again. It comes before the last calls are
/// answered: those that wait for what runs here must return then.
class Controller {
 public:
  virtual ~Controller() = default;
  virtual absl::Status Start() = 0;
  virtual void Stop() = 0;
  /// Not OK once the agent has stood still for so long that only a restart helps: `/livez` fails
  /// then. Called from any thread once Start() has returned, also during Stop() and after it; must
  /// not block.
  virtual absl::Status Live() const { return absl::OkStatus(); }
  /// Not OK while the agent cannot answer yet or any more: `/readyz` fails then, and
  /// `/readyz?verbose` says why in the line "agent-<name>". Called as Live().
  virtual absl::Status Ready() const { return absl::OkStatus(); }
  /// False for an agent that answers from the question alone, also before Start(): `outrigger
  /// explain` asks it, and a filter call that rejects every node may wait some milliseconds for
  /// news of nodes. True for an agent that plans while it runs: `outrigger explain` cannot ask it,
  /// and it knows by itself which pods it has to wake.
  virtual bool IsNeededToAnswer() const { return true; }
};

}  // namespace outrigger
