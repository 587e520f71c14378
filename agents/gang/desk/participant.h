#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "gang/desk/board.h"
#include "gang/desk/release.h"
#include "gang/desk/time.h"
#include "gang/plan/groups.h"
#include "gang/plan/notes.h"
#include "gang/plan/planner.h"
#include "gang/plan/unit.h"
#include "outrigger/agent/cluster.h"

// What an agent that plans sees of each round of planning, and adds to it.

namespace outrigger::desk {

/// A member that waits to be bound, as the planner counts it.
struct Waiting {
  std::string uid;
  std::string node;
};

/// A write of status.nominatedNodeName; an empty node withdraws it.
struct Nomination {
  PodPtr pod;
  std::string node;
  uint64_t stamp = 0;  // of the node
  uint64_t round = 0;  // of the plan that asks for it
  bool again = false;  // it is withdrawn to be nominated for the same node once more
};

/// A gang that kept places for too long: it goes after those of its priority.
struct TimedOut {
  plan::UnitKey key;
  std::chrono::seconds after;
};

/// One round of planning that may be acted on. References live during the call.
struct Round {
  const ClusterView& view;
  std::span<const plan::Unit> units;  // as planned, in order
  const plan::PlanOptions& options;
  const plan::Plan& plan;
  std::shared_ptr<const Board> board;  // what calls are answered by from now on
  std::span<const PodPtr> pods;        // that are planned or bound
  std::vector<plan::Note> notes;
  std::vector<TimedOut> timed_out;
  const Releases& releases;
  Mode mode = Mode::kExtender;
  /// kube-scheduler calls about each pod; false: about those that ask for it, or that is not known.
  bool asks_about_all = false;
  Time now;
  /// Sets what the round is at, for errors while it takes too long; `what` is static.
  std::function<void(const char* what)> goes_on_with;
};

/// An agent at the desk. All methods but WhyWaits(), OnNomination(), OnRelease() and OnPulse() are
/// called on the planning thread: they may not block for long.
class Participant {
 public:
  virtual ~Participant() = default;

  /// Members of gangs that wait to be bound.
  virtual std::map<plan::UnitKey, std::vector<Waiting>> Waiters() const { return {}; }
  /// That member cannot be bound there any more.
  virtual void FailWaiter(const plan::UnitKey& /*gang*/, std::string_view /*uid*/,
                          const std::string& /*why*/) {}
  /// Completes what the next plan is made by.
  virtual void Prepare(plan::GroupOptions* /*groups*/, plan::PlanOptions* /*options*/) {}
  virtual void OnPlan(const Round& /*round*/) {}
  /// Whether plans may be acted on, each round, and if not, why.
  virtual void OnActing(const absl::Status& /*acting*/) {}
  /// Another instance of the scheduler has taken over: calls of the one before it wait in vain.
  virtual void OnNewScheduler() {}
  /// Nothing is planned now; `another_acts`: the agent of another host does.
  virtual void Pause(Time /*now*/, bool /*another_acts*/) {}
  /// When the next round is due though nothing has changed; nothing: never.
  virtual std::optional<Time> next_look() const { return std::nullopt; }

  /// From any thread, while pages are served: with figures, why a gang waits for the cause with
  /// that word, as last worked out; empty: it was not.
  virtual std::string WhyWaits(const plan::UnitKey& /*gang*/, std::string_view /*word*/) const {
    return "";
  }
  /// From any thread: a nomination was written, or could not be.
  virtual void OnNomination(const Nomination& /*nomination*/, const absl::Status& /*status*/) {}
  /// From any thread: a gate was taken off, or could not be.
  virtual void OnRelease(const Release& /*release*/, const absl::Status& /*status*/) {}
  /// From a thread of the desk, each second: for how long a round has been under way.
  virtual void OnPulse(std::chrono::milliseconds /*under_way*/) {}
};

}  // namespace outrigger::desk
