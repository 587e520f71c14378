#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gang/desk/board.h"
#include "gang/desk/leadership.h"
#include "gang/desk/options.h"
#include "gang/desk/participant.h"
#include "gang/desk/time.h"
#include "outrigger/agent/access.h"
#include "outrigger/agent/agent.h"
#include "outrigger/agent/page.h"
#include "outrigger/agent/request.h"
#include "outrigger/agent/verdict.h"
#include "outrigger/base/clock.h"

// Where all agents of a process that plan work on one plan. docs/desk.md says what may be relied
// on.

namespace outrigger::desk {

/// What an agent brings to the desk. An unset field takes the other agent's value, else the
/// default.
struct DeskTerms {
  std::string agent;  // its name, for errors
  /// Lives until the agent has called Stop(), and as long as pages are served.
  Participant* participant = nullptr;
  Mode mode = Mode::kExtender;  // all agents at one desk have the same
  /// Else those of AgentDeps::scheduler.
  std::optional<std::string> scheduler_names;  // "default-scheduler"
  std::optional<std::string> scheduler_lease;  // "kube-system/kube-scheduler"
  std::optional<std::string> host_name;        // this machine's
  std::optional<int64_t> reserve_after;        // seconds; 0: never; 120
  /// With Mode::kAlone: the Lease for which replicas stand, as "namespace/name".
  std::optional<std::string> lease;  // "kube-system/outrigger-gang"
  /// Of former settings; SchedulerFacts win.
  std::optional<std::string> unchecked = {};
  bool members_only = false;
  /// Sets what only this agent has a say in. Called for each agent that joins.
  std::function<void(PlanningOptions* options)> adjust = nullptr;
};

/// What moves a desk on. Simulations put in their own time and plan by hand.
struct DeskDrive {
  SteadyNow now = std::chrono::steady_clock::now;
  bool by_hand = false;  ///< Start() starts no thread: the caller plans, see Desk::Step()
};

/// Which pods an agent answers for.
enum class Scope : uint8_t { kNone, kMembers, kSingles, kAll };

/// The one plan of a process and what acts on it: view, plan, reservations, nominations, refusals,
/// leadership. Agents join while they are made; the threads run from the last Start() to the first
/// Stop(), and leadership lasts to the last one. Thread-safe from then on.
class Desk {
 public:
  /// The desk of the process, which the first agent makes.
  static std::shared_ptr<Desk> Of(const AgentDeps& deps);

  /// `cluster` outlives this; null: Start() may not be called. `warn` logs what a person has to
  /// change; may be empty. `scheduler` is AgentDeps::scheduler.
  explicit Desk(ClusterAccess* cluster, std::function<void(std::string_view line)> warn = {},
                DeskDrive drive = {}, SchedulerFacts scheduler = {});
  ~Desk();
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  /// InvalidArgument for a setting that is not accepted, that another agent has set otherwise, or
  /// that means nothing with Mode::kAlone; the text names setting and value.
  absl::Status Join(const DeskTerms& terms);
  /// True if an agent of that name has joined.
  bool HasJoined(std::string_view agent) const;

  /// Errors are those of Leadership::Start().
  absl::Status Start();
  /// `agent` has joined, and has ended all that it writes. Ends planning, so that no participant is
  /// called any more. A Lease of our own goes back once all that have joined have stopped: another
  /// process acts then. May be called again, and by one that was never started.
  void Stop(std::string_view agent);

  /// Of a desk that is driven by hand: plans once, and writes nominations. Not thread-safe, and not
  /// before Start().
  void Step();
  /// Returns when the next Step() is due: now if something has changed; nothing: not before
  /// something changes. As Step().
  std::optional<Time> NextStep() const;

  /// The plan by which calls are answered; Unavailable while there is none that may be used.
  absl::StatusOr<std::shared_ptr<const Board>> Plan() const;
  /// Unavailable if planning has been stuck for so long that only a restart helps.
  absl::Status Live() const;

  /// Filterer::Filter() for pods of `scope`; others pass.
  absl::Status Filter(const Request& request, Scope scope, std::span<Verdict> verdicts);
  /// True if the member, which has a place on `board`, may be bound at the node: it is its place
  /// there, or since Filter() has moved it.
  bool MayBindAt(const Board& board, const BoardPod& seat, std::string_view node) const;
  /// Preempter::Preempt() for single pods: adds the candidates that a pod may take while others
  /// wait (docs/desk.md), all where pods are not held.
  static void ChooseVictims(const Board& board, const PreemptRequest& request,
                            std::vector<NodeVictims>* chosen);
  /// A preempt call was answered with nothing.
  void OnNoVictims(const Board& board, const Pod& pod);

  /// PageSource::Pages() of `agent`: the pages of the desk (gang/desk/pages.h) if it is the one
  /// that offers them, else none. That is qos where it has joined, so ask when all agents are made.
  std::vector<PageSpec> PagesOf(std::string_view agent) const;
  /// PageSource::FillPage(): by the plan. Unavailable while there is none that may be used.
  absl::Status FillPage(std::string_view page, PageTable* table) const;

  /// A gang was not complete at its barrier in time.
  void OnGaveUp(const plan::UnitKey& gang, std::chrono::milliseconds after);
  /// Something that a plan depends on may have changed.
  void Nudge();
  /// Ok unless what the API server took from this process is missing in the view for long: on such
  /// a view no gang is bound for the first time, and no pod is evicted. Makes no call.
  absl::Status InStep() const;
  /// Ok if InStep() is, and this process may act: its host's scheduler holds the Lease, which is
  /// read, or with Mode::kAlone this replica is the leader. May block.
  absl::Status MayAct(const CallLimits& limits) const;
  /// Leave for one write, as Leadership::MayWrite(): to be asked before each, and given back before
  /// the agent's Stop(). Makes no call.
  absl::StatusOr<WritePermit> MayWrite(const CallLimits& limits) const;
  /// True if another replica acts, as last seen.
  bool AnotherActs() const;

 private:
  class State;
  const std::unique_ptr<State> state_;
};

}  // namespace outrigger::desk
