#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "gang/plan/scheduler_checks.h"
#include "gang/plan/unit.h"
#include "outrigger/k8s/node.h"

// Who may go where, all units together. docs/planner.md says what may be relied on.

namespace outrigger {
class ClusterSnapshot;
}

namespace outrigger::plan {

/// Why a unit waits: its stable class, for a pod's condition. `detail` is a resource's name
/// (kResource, kMinResources), a label (kTopology), the name of a role (kRole) or of a pod
/// (kWaiter).
struct Cause {
  enum class Class : uint8_t {
    kNone,
    kMembers,       ///< fewer members exist than the minimum
    kRole,          ///< fewer members of a role exist than its minimum
    kNodes,         ///< too few nodes match what the members ask of a node
    kClaims,        ///< nodes of a volume or a claimed device take no pod, or lack `detail`
    kResource,      ///< too little of a resource is free
    kMinResources,  ///< less of a resource is free in all than Unit::min_resources asks for
    kPods,          ///< nodes hold as many pods as they may
    kHostPorts,     ///< ports of the host are taken
    kAffinity,      ///< required pod affinity
    kAntiAffinity,  ///< required pod anti-affinity
    kSpread,        ///< a topology spread constraint
    kTopology,      ///< no domain holds all that must be together
    kWaiter,        ///< a member that waits to be bound has lost its place
    kRefused,       ///< it would fit where kube-scheduler has refused it
    kShape,         ///< there is room for each member, but not for all together
    kEffort,        ///< the search was given up: it may fit
    kTurn,          ///< it has a place, and waits until one before it is bound
  };
  Class kind = Class::kNone;
  std::string detail;
  friend bool operator==(const Cause&, const Cause&) = default;
};

/// "cpu", "nodes", "members", "anti-affinity": what the condition of a pod says.
std::string TextOf(const Cause& cause);

/// What became of a unit.
struct UnitPlan {
  bool fits = false;
  /// Index-aligned with Unit::members: the node of each; empty for one over the minimum for which
  /// no room is left, and for all of a unit that does not fit.
  std::vector<std::string> nodes;
  Cause cause;  // of a unit that does not fit
  /// As `nodes`, of the unit that PlanOptions::promise is about while it does not fit: where room
  /// is kept for its members; with PlanOptions::share_kept of that of reserve_for, too. Empty
  /// otherwise.
  std::vector<std::string> promised;
};

struct Plan {
  std::vector<UnitPlan> units;  // index-aligned with what was planned
  /// Nodes that are kept free for `kept_for`, in the order of their names.
  std::vector<std::string> kept;
  /// PlanOptions::reserve_for, or the unit that `may_reserve_for` chose: nodes are kept for it, or
  /// it fits.
  std::optional<UnitKey> kept_for = {};
  /// What is kept has room for that unit already, and it does not fit all the same: what it asks of
  /// other pods, or what kube-scheduler has refused, keeps it away.
  bool kept_in_vain = false;
};

/// Places that will be free for a unit: those who have them are going.
struct Promise {
  UnitKey unit;
  std::map<std::string, std::string, std::less<>> nodes;  // by the UID of a member
};

struct PlanOptions {
  /// What kube-scheduler does not compare; null: it compares everything. What is remembered of
  /// nodes is lost whenever this changes.
  std::shared_ptr<const SchedulerChecks> checks = nullptr;
  /// If this unit does not fit, nodes are kept free for it: enough of them, were they empty.
  std::optional<UnitKey> reserve_for;
  /// In place of `reserve_for`, if set: nodes are kept free for the first unit of which this is
  /// true and for which enough of them would do, were they empty. If that unit fits, none are.
  std::function<bool(const Unit&)> may_reserve_for = {};
  /// The nodes that the plan before kept free for it; they stay the same while they suffice.
  std::vector<std::string> kept;
  /// A gang that nodes are kept for has its members shared out to them (UnitPlan::promised).
  bool share_kept = false;
  /// While this unit does not fit, later units get nothing of what it was promised, whether that is
  /// free already or not.
  std::optional<Promise> promise;
};

/// What would let a unit fit that does not: the least of its kind. The words are true: with these
/// nodes in the cluster, or these members, the unit fits in the next plan, and with one less it
/// does not.
struct Shortfall {
  Cause cause;
  int64_t members = 0;  // so many more members must exist
  /// Such nodes, empty, would do; their names only tell them apart. None: see `text`.
  std::vector<Node> nodes;
  /// The search for the least was given up: with fewer nodes the unit may fit, too, and the text
  /// says so.
  bool gave_up = false;
  /// For people: "30 members need cpu 8 each, 26 fit; 4 more nodes with cpu 8 free would do".
  std::string text;
};

/// Places units virtually, one after another, on what those before them leave. Deterministic: the
/// result depends on what is given, not on the order in which nodes and pods became known, nor on
/// what was planned before. No clock, no I/O. Not thread-safe.
///
/// What is remembered from one call to the next only saves time: that of unchanged nodes and pods.
class Planner {
 public:
  Planner();
  ~Planner();
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  /// `units` in the order of their ranks (a precondition). Members are not part of the snapshot's
  /// bound or assumed pods.
  ///
  /// All or nothing: a unit fits if its minimum, with what is bound, and the minimum of each role
  /// can be placed. Members over the minimum follow once all units of the same group priority and
  /// pod priority have had their turn. What was reserved is kept where it still fits; a unit takes
  /// places of gangs behind it only if it does not fit without.
  Plan Run(const std::shared_ptr<const ClusterSnapshot>& snapshot, std::span<const Unit> units,
           const PlanOptions& options = {});

  /// Why units[index], which does not fit in the plan of the same input, does not. Costs several
  /// plans of the units before it, a bounded number; `stop` ends it after the one under way, as if
  /// it had been given up.
  Shortfall Explain(const std::shared_ptr<const ClusterSnapshot>& snapshot,
                    std::span<const Unit> units, size_t index, const PlanOptions& options = {},
                    const std::stop_token& stop = {});

 private:
  class State;
  const std::unique_ptr<State> state_;
};

}  // namespace outrigger::plan
