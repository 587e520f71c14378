#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "outrigger/agent/request.h"
#include "outrigger/base/mutex.h"
#include "serve/engine/engine.h"
#include "serve/engine/observer.h"

namespace outrigger::engine {

/// Counts an agent's malformed values and warns about each (field, value) once. Thread-safe.
///
/// What was warned about is remembered up to a bound, after which new values are counted only:
/// annotations that change every minute must fill neither memory nor logs.
class CountingDiagnostics final : public Diagnostics {
 public:
  /// `agent` may be empty: the decoder. `observer` outlives this.
  CountingDiagnostics(std::string agent, Observer* observer)
      : agent_(std::move(agent)), observer_(observer) {}

  void Malformed(std::string_view node, std::string_view field, std::string_view value,
                 std::string_view accepted) override;

 private:
  bool FirstTime(std::string_view field, std::string_view value);

  const std::string agent_;
  Observer* const observer_;
  Mutex mutex_;
  absl::flat_hash_set<std::string> warned_ ABSL_GUARDED_BY(mutex_);
};

/// A served agent, made, with the stages it has (null where it has none).
struct Instance {
  std::string name;
  double weight = 1;
  bool takes_calls = true;
  std::unique_ptr<Agent> agent;
  Needs needs;
  const Filterer* filterer = nullptr;
  const Scorer* scorer = nullptr;
  PreBinder* prebinder = nullptr;
  Binder* binder = nullptr;
  const Preempter* preempter = nullptr;
  Controller* controller = nullptr;
  const PageSource* page_source = nullptr;
  std::vector<NamedScorer> named_scorers;
  /// Where the agent reports values that it cannot use; MakeInstance() counts and logs them.
  std::unique_ptr<Diagnostics> diagnostics;
};

absl::StatusOr<Instance> MakeInstance(const ServedAgent& served, const AgentWorld& world,
                                      Observer* observer);

/// What a path runs: the stages, in order, with the agents they belong to.
struct Pipeline {
  struct Filtering {
    const Instance* instance;
    const Filterer* filterer;
  };
  struct Scoring {
    const Instance* instance;
    const Scorer* scorer;
  };
  struct PreBinding {
    const Instance* instance;
    PreBinder* prebinder;
  };
  struct Preempting {
    const Instance* instance;
    const Preempter* preempter;
  };

  Endpoint endpoint;
  Needs needs;          // of all agents involved
  std::string refusal;  // not empty: what each call is answered with
  std::vector<Filtering> filters;
  std::vector<Scoring> scorers;
  std::vector<Preempting> preempters;
  std::vector<PreBinding> prebinders;
  const Instance* binder = nullptr;  // null where `prebinders` is not empty: the engine binds
  /// Filters that judge by the view of the cluster alone: a call may wait for news (see
  /// catch_up.h).
  bool waits_for_news = false;
};

/// What a path runs before it is given any stage.
Pipeline PipelineFor(std::string path, std::string agent, Verb verb);

/// Adds what `instance` has for the verb of `pipeline`; false if it has nothing. `instance`
/// outlives the pipeline.
bool AddStage(const Instance& instance, Pipeline* pipeline);

/// The pipelines of every path that `instances` (served as `agents`) can be called under.
absl::StatusOr<std::vector<Pipeline>> MakePlans(const std::vector<ServedAgent>& agents,
                                                const std::vector<Instance>& instances);

}  // namespace outrigger::engine
