#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "outrigger/agent/registry.h"
#include "outrigger/base/clock.h"
#include "serve/engine/node_table.h"
#include "serve/engine/observer.h"
#include "serve/wire/extender.h"

// Runs the stages of the served agents over one request and merges their answers. Takes and gives
// protocol bytes; knows neither HTTP nor (of itself) JSON.

namespace outrigger::engine {

/// An agent to be served.
struct ServedAgent {
  const AgentInfo* info = nullptr;  // outlives the engine
  SettingsValues settings;
  /// How much its scores count where several agents' are merged; above 0.
  double weight = 1;

  /// As AgentFactory::takes_calls.
  bool TakesCalls() const { return info->factory.TakesCalls(settings); }
};

/// The label `agent` of metrics at merged paths. It is no agent's name.
inline constexpr const char* kMergedLabel = "all";

/// A path that can be called, and what it runs. Made by the engine.
struct Endpoint {
  std::string path;   // "/safe/filter"
  std::string agent;  // "safe"; kMergedLabel at a merged path: the label `agent` of metrics
  Verb verb = Verb::kFilter;

  /// What people read: "safe", or "the merged path /filter".
  std::string Title() const;
};

/// A page that a served agent offers.
struct OfferedPage {
  std::string agent;  // "qos"
  PageSpec spec;
};

/// Whether an agent can answer (Controller::Ready()).
struct AgentReadiness {
  std::string agent;  // "gang"
  absl::Status ready;
};

/// What goes back to the scheduler. A status other than 200 makes the scheduler throw the body
/// away, so it is kept for what is not the protocol (400) and for calls whose answer has no place
/// for an error (prioritize, preempt: 422 if the call has no answer, 500 if an agent failed).
struct Reply {
  int http_status = 200;
  std::string body;
  /// Slices of the call's body that belong into `body` and are not copied.
  std::vector<wire::Echo> echoes;
};

/// What agents get of the world, beside their settings; all of it outlives the engine.
struct AgentWorld {
  /// Where the engine binds, too, for agents that prepare where none binds. Null: there is none.
  ClusterAccess* cluster = nullptr;
  /// Where an agent counts, never null, or why its metrics cannot be. Empty: nothing is counted.
  std::function<absl::StatusOr<AgentMetrics*>(const AgentInfo& agent)> metrics = {};
  /// What the agents may have in common; outlives Create(). Null: nothing.
  SharedParts* shared = nullptr;
  Clock clock = {};               // AgentDeps::clock
  SchedulerFacts scheduler = {};  // AgentDeps::scheduler
  std::string own_pod = {};       // AgentDeps::own_pod
};

/// Thread-safe after Create().
class Engine {
 public:
  /// Makes the agents and their endpoints:
  ///   /<agent>/<verb>             what the agent implements
  ///   /<agent>/<scorer>/prioritize  its named scorers
  ///   /<verb>                     all served agents merged: filters intersect, the first reason
  ///                               wins and is prefixed with the agent's name; scores are a
  ///                               weighted mean; all that have a PreBinder prepare, at most
  ///                               one agent may bind, and else the engine does
  ///   aliases of older programs
  /// An agent that takes no calls is not among those that are merged, and each call at its own
  /// paths is an error, which says so.
  /// `observer` outlives the engine; `nodes` answers names-only calls and may be null (agents that
  /// read more than names then answer such calls with an Error). InvalidArgument for settings that
  /// an agent refuses, an agent twice, two binders, two agents with a page of one name.
  static absl::StatusOr<std::unique_ptr<Engine>> Create(const std::vector<ServedAgent>& agents,
                                                        Observer* observer, const NodeSource* nodes,
                                                        const AgentWorld& world = {});
  virtual ~Engine() = default;

  virtual const std::vector<Endpoint>& endpoints() const = 0;
  /// What all served agents together read: what the source of nodes has to have.
  virtual const Needs& needs() const = 0;

  /// The pages that the served agents offer.
  virtual const std::vector<OfferedPage>& pages() const = 0;
  /// Returns pages()[page] as it is now, with `max_rows` rows at most. Errors are those of the
  /// agent (PageSource::FillPage()) with its name; Internal, too: a row does not match the columns.
  virtual absl::StatusOr<PageTable> ReadPage(size_t page, size_t max_rows) const = 0;

  /// Starts and stops the agents' controllers, in order and in reverse order. Stop() is idempotent;
  /// calls are answered on, as far as agents do without their controllers. FailedPrecondition: the
  /// engine would have to bind, and there is no cluster; such bind calls are refused without
  /// Start(), too.
  virtual absl::Status Start() = 0;
  virtual void Stop() = 0;
  /// Of the first agent that only a restart helps, with its name (Controller::Live()). Thread-safe.
  virtual absl::Status Live() const = 0;
  /// Of each agent with a controller, in order. To be called after Start(). Thread-safe.
  virtual std::vector<AgentReadiness> Readiness() const = 0;

  /// Answers one call of endpoints()[endpoint]. Never throws; `reply->body` is appended to (reuse
  /// it, cleared). Blocks as long as the agent does: for bind that may be minutes. `abandoned`:
  /// stop is requested when nobody waits for the answer any more; what is left of the work is
  /// dropped.
  virtual void Call(size_t endpoint, wire::Body body, std::stop_token abandoned,
                    Reply* reply) const = 0;

  /// Gives back the memory of decoders that lay unused since the last Trim(): to be called now and
  /// then, so that an idle process is a small one. They are shared by all engines of a process.
  virtual void Trim() const = 0;
};

}  // namespace outrigger::engine
