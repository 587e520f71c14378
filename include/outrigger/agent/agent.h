#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/status/statusor.h"
#include "outrigger/agent/access.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/metrics.h"
#include "outrigger/agent/needs.h"
#include "outrigger/agent/page.h"
#include "outrigger/agent/scheduler_facts.h"
#include "outrigger/agent/settings.h"
#include "outrigger/agent/shared.h"
#include "outrigger/agent/stages.h"
#include "outrigger/base/clock.h"

namespace outrigger {

/// A further name under which one of an agent's scorers can be called, at
/// POST /<agent>/<name>/prioritize and, where given, at the path of an older program.
struct NamedScorer {
  std::string name;
  const Scorer* scorer;  // lives as long as the agent
};

/// A policy that the scheduler consults. It implements the stages it has by inheriting from
/// Filterer, Scorer, PreBinder, Binder, Preempter or Controller as well, and from PageSource to
/// offer pages.
///
///     class Even final : public Agent, public Scorer {
///      public:
///       absl::Status Score(const Request&, std::span<NodeScore> scores) const override {
///         for (NodeScore& score : scores) score.value = 0.5;
///         return absl::OkStatus();
///       }
///     };
///     OUTRIGGER_AGENT(Even, NoSettings)
class Agent {
 public:
  virtual ~Agent() = default;

  /// What this agent reads of nodes and pods; asked once, after construction.
  virtual Needs Reads() const { return {}; }

  /// Scorers in addition to the agent itself, if it has several.
  virtual std::vector<NamedScorer> NamedScorers() const { return {}; }
};

/// A path under which another program offered the same verb, kept so that its users can switch.
struct Alias {
  enum class Verb { kFilter, kPrioritize };
  std::string path;  // "/scheduler/priorities/safe-balance"
  Verb verb = Verb::kFilter;
  std::string scorer;  // name of a NamedScorer, or empty for the agent itself
};

/// The default for lines of the log: writes them to stderr.
inline void LogToStderr(std::string_view line) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
}

/// What an agent gets from the program around it; everything outlives the agent.
struct AgentDeps {
  std::string name;  // as registered
  /// Writes one line to the program's log, at level info. Thread-safe, never empty.
  std::function<void(std::string_view line)> log = LogToStderr;
  /// The same at level warn: what a person has to change.
  std::function<void(std::string_view line)> warn = LogToStderr;
  /// The same at level debug, for single decisions; null if that level is off.
  std::function<void(std::string_view line)> debug = nullptr;
  /// Access to the cluster; null without a kubeconfig outside of a pod.
  ClusterAccess* cluster = nullptr;
  AgentMetrics* metrics = NoMetrics::Instance();  // never null
  /// Parts that agents of this process share; null: nothing is shared.
  SharedParts* shared = nullptr;
  /// Names of the agent's settings that the user has set; all others have their defaults.
  std::set<std::string, std::less<>> given = {};
  /// Steady and wall clock; tests replace them.
  Clock clock = {};
  /// What is known of the agent's scheduler; equal for all agents of a process.
  SchedulerFacts scheduler = {};
  /// Name of the pod that the program runs in; empty: it is not known.
  std::string own_pod = {};
};

/// What an agent asks of its scheduler's configuration: `outrigger scheduler-config` writes it.
struct SchedulerWishes {
  /// Its entries come after all others. No other entry may both filter and be ignorable: the
  /// scheduler calls ignorable entries last, so that one could reject a planned node.
  bool last = false;
  /// All nodes are offered, not a sample (percentageOfNodesToScore: 100).
  bool every_node = false;
  /// Pods that failed are tried again soon (podMaxBackoffSeconds).
  bool quick_retries = false;
  /// Extended resources that a pod requests to have the agent called for it, with `scheduler-config
  /// --members-only`: one for filter, prioritize and preempt, one for bind. Empty: the agent is
  /// called for all pods. They live as long as the program.
  std::string_view cycle_resource = {};
  std::string_view bind_resource = {};
  /// Weight of its scores next to the scheduler's own, 1 to 1000, where the user gives none.
  int64_t weight = 1;
};

/// How to make one agent: its settings and its constructor. Made by OUTRIGGER_AGENT.
struct AgentFactory {
  SettingsSchema settings;
  std::vector<Alias> aliases;
  /// The agent's own access to the API server with these settings: its static Access(), with or
  /// without settings, if it has one. Excludes what the program reads for it (Agent::Reads()).
  std::vector<AccessRule> (*access)(const SettingsValues& values) = nullptr;
  std::vector<AccessRule> Access(const SettingsValues& values) const {
    return access == nullptr ? std::vector<AccessRule>() : access(values);
  }
  /// The agent's own metrics: its static Metrics(), if it has one.
  std::vector<MetricSpec> metrics;
  SchedulerWishes wishes;  // the agent's static Wishes(), if it has one
  /// Which stages the agent's class has.
  bool filters = false;
  bool scores = false;
  bool prebinds = false;
  bool binds = false;
  bool preempts = false;
  /// False: with these settings no scheduler calls the agent, regardless of the stages of its class
  /// (its static TakesCalls(), if it has one).
  bool (*takes_calls)(const SettingsValues& values) = nullptr;
  bool TakesCalls(const SettingsValues& values) const {
    return takes_calls == nullptr || takes_calls(values);
  }
  /// True if the agent takes part in bind calls. A scheduler sends each of them to one extender.
  bool TakesBindCalls() const { return prebinds || binds; }
  /// Makes the agent from `values`, which `settings` made. InvalidArgument if settings contradict
  /// each other (each one was checked before).
  absl::StatusOr<std::unique_ptr<Agent>> (*make)(const AgentDeps& deps,
                                                 const SettingsValues& values) = nullptr;
};

namespace internal {

template <typename AgentType>
std::vector<Alias> AliasesOf() {
  if constexpr (requires { AgentType::kAliases; }) {
    return {AgentType::kAliases.begin(), AgentType::kAliases.end()};
  } else if constexpr (requires { AgentType::Aliases(); }) {
    return AgentType::Aliases();
  } else {
    return {};
  }
}

template <typename AgentType, typename SettingsType>
std::vector<AccessRule> AccessOf(const SettingsValues& values) {
  if constexpr (requires(const SettingsType& settings) { AgentType::Access(settings); }) {
    return AgentType::Access(values.As<SettingsType>());
  } else if constexpr (requires { AgentType::Access(); }) {
    return AgentType::Access();
  } else {
    return {};
  }
}

template <typename AgentType, typename SettingsType>
bool TakesCallsWith(const SettingsValues& values) {
  if constexpr (requires(const SettingsType& settings) { AgentType::TakesCalls(settings); }) {
    return AgentType::TakesCalls(values.As<SettingsType>());
  } else {
    return true;
  }
}

template <typename AgentType>
std::vector<MetricSpec> MetricsOf() {
  if constexpr (requires { AgentType::Metrics(); }) {
    return AgentType::Metrics();
  } else {
    return {};
  }
}

template <typename AgentType>
SchedulerWishes WishesOf() {
  if constexpr (requires { AgentType::Wishes(); }) {
    return AgentType::Wishes();
  } else {
    return {};
  }
}

template <typename AgentType, typename SettingsType>
absl::StatusOr<std::unique_ptr<Agent>> MakeAgent(const AgentDeps& with,
                                                 const SettingsValues& values) {
  const auto& settings = values.As<SettingsType>();
  AgentDeps deps = with;
  deps.given = values.given();
  if constexpr (requires { AgentType::Make(deps, settings); }) {
    return AgentType::Make(deps, settings);
  } else if constexpr (std::is_constructible_v<AgentType, const SettingsType&, const AgentDeps&>) {
    return std::make_unique<AgentType>(settings, deps);
  } else if constexpr (std::is_constructible_v<AgentType, const SettingsType&>) {
    return std::make_unique<AgentType>(settings);
  } else {
    return std::make_unique<AgentType>();
  }
}

template <typename AgentType, typename SettingsType>
AgentFactory MakeAgentFactory() {
  AgentFactory factory;
  factory.settings = SettingsSchema::Of<SettingsType>();
  factory.aliases = AliasesOf<AgentType>();
  factory.access = &AccessOf<AgentType, SettingsType>;
  factory.takes_calls = &TakesCallsWith<AgentType, SettingsType>;
  factory.metrics = MetricsOf<AgentType>();
  factory.wishes = WishesOf<AgentType>();
  factory.filters = std::is_base_of_v<Filterer, AgentType>;
  factory.scores = std::is_base_of_v<Scorer, AgentType>;
  factory.prebinds = std::is_base_of_v<PreBinder, AgentType>;
  factory.binds = std::is_base_of_v<Binder, AgentType>;
  factory.preempts = std::is_base_of_v<Preempter, AgentType>;
  factory.make = &MakeAgent<AgentType, SettingsType>;
  return factory;
}

}  // namespace internal
}  // namespace outrigger

/// Defines the one function that the generated registry names. Use it once per agent, inside the
/// agent's namespace `outrigger::<name>` ('-' in the name is '_' there, and a name that is a
/// keyword of C++ ends in "_agent").
#define OUTRIGGER_AGENT(AgentType, SettingsType)                               \
  ::outrigger::AgentFactory MakeFactory();                                     \
  ::outrigger::AgentFactory MakeFactory() {                                    \
    return ::outrigger::internal::MakeAgentFactory<AgentType, SettingsType>(); \
  }
