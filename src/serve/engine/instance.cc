#include "serve/engine/instance.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "fmt/format.h"
#include "serve/engine/decision_log.h"
#include "serve/engine/text.h"
#include "spdlog/spdlog.h"

namespace outrigger::engine {
namespace {

constexpr Verb kVerbs[] = {Verb::kFilter, Verb::kPrioritize, Verb::kBind, Verb::kPreempt};

void AddOwnPaths(const Instance& instance, std::vector<Pipeline>* pipelines) {
  for (const Verb verb : kVerbs) {
    Pipeline pipeline =
        PipelineFor(fmt::format("/{}/{}", instance.name, VerbName(verb)), instance.name, verb);
    if (AddStage(instance, &pipeline)) pipelines->push_back(std::move(pipeline));
  }
  for (const NamedScorer& named : instance.named_scorers) {
    Pipeline pipeline = PipelineFor(fmt::format("/{}/{}/prioritize", instance.name, named.name),
                                    instance.name, Verb::kPrioritize);
    pipeline.scorers.push_back({&instance, named.scorer});
    pipeline.needs = instance.needs;
    pipelines->push_back(std::move(pipeline));
  }
}

absl::Status AddAlias(const Alias& alias, const Instance& instance,
                      std::vector<Pipeline>* pipelines) {
  const Verb verb = alias.verb == Alias::Verb::kFilter ? Verb::kFilter : Verb::kPrioritize;
  Pipeline pipeline = PipelineFor(alias.path, instance.name, verb);
  if (alias.scorer.empty()) {
    if (!AddStage(instance, &pipeline)) {
      return absl::InternalError(fmt::format("agent {}: alias {} needs {}, which it does not have",
                                             instance.name, alias.path, VerbName(verb)));
    }
  } else {
    for (const NamedScorer& named : instance.named_scorers) {
      if (named.name == alias.scorer) pipeline.scorers.push_back({&instance, named.scorer});
    }
    pipeline.needs = instance.needs;
    if (pipeline.scorers.empty()) {
      return absl::InternalError(
          fmt::format("agent {}: alias {} needs scorer {:?}, which it does not have", instance.name,
                      alias.path, alias.scorer));
    }
  }
  pipelines->push_back(std::move(pipeline));
  return absl::OkStatus();
}

// The same error with the agent's name.
absl::Status Of(const Instance& instance, const absl::Status& status) {
  return {status.code(), fmt::format("agent {}: {}", instance.name, std::string(status.message()))};
}

// Of an agent that takes no calls.
void Refuse(Pipeline* pipeline) {
  pipeline->refusal = fmt::format(
      "with its settings agent {} takes no calls of a scheduler: remove its entries from the "
      "scheduler's configuration (extenders)",
      pipeline->endpoint.agent);
}

absl::Status AddMergedPaths(const std::vector<Instance>& instances,
                            std::vector<Pipeline>* pipelines) {
  for (const Verb verb : kVerbs) {
    Pipeline pipeline = PipelineFor(fmt::format("/{}", VerbName(verb)), kMergedLabel, verb);
    bool any = false;
    for (const Instance& instance : instances) {
      if (!instance.takes_calls) continue;
      const Instance* const binder_before = pipeline.binder;
      any |= AddStage(instance, &pipeline);
      if (binder_before != nullptr && pipeline.binder != binder_before) {
        return absl::InvalidArgumentError(
            fmt::format("agents {} and {} both bind pods, and only one may: serve them as two "
                        "processes",
                        binder_before->name, instance.name));
      }
    }
    if (any) pipelines->push_back(std::move(pipeline));
  }
  return absl::OkStatus();
}

constexpr size_t kRememberedWarnings = 1024;

}  // namespace

std::string Endpoint::Title() const {
  const bool merged = path == fmt::format("/{}", VerbName(verb));
  return merged ? fmt::format("the merged path {}", path) : agent;
}

Pipeline PipelineFor(std::string path, std::string agent, Verb verb) {
  Pipeline pipeline;
  pipeline.endpoint = {.path = std::move(path), .agent = std::move(agent), .verb = verb};
  return pipeline;
}

bool AddStage(const Instance& instance, Pipeline* pipeline) {
  switch (pipeline->endpoint.verb) {
    case Verb::kFilter:
      if (instance.filterer == nullptr) return false;
      pipeline->filters.push_back({&instance, instance.filterer});
      break;
    case Verb::kPrioritize:
      if (instance.scorer == nullptr) return false;
      pipeline->scorers.push_back({&instance, instance.scorer});
      break;
    case Verb::kBind:
      if (instance.prebinder == nullptr && instance.binder == nullptr) return false;
      if (instance.prebinder != nullptr) {
        pipeline->prebinders.push_back({&instance, instance.prebinder});
      }
      if (instance.binder != nullptr) pipeline->binder = &instance;
      break;
    case Verb::kPreempt:
      if (instance.preempter == nullptr) return false;
      pipeline->preempters.push_back({&instance, instance.preempter});
      break;
  }
  pipeline->needs.Merge(instance.needs);
  return true;
}

absl::StatusOr<Instance> MakeInstance(const ServedAgent& served, const AgentWorld& world,
                                      Observer* observer) {
  Instance instance;
  instance.name = served.info->name;
  instance.weight = served.weight;
  instance.takes_calls = served.TakesCalls();
  if (!(served.weight > 0)) {
    return absl::InvalidArgumentError(
        fmt::format("agent {}: weight {} is not accepted; expected a number above 0", instance.name,
                    served.weight));
  }
  AgentDeps deps;
  deps.name = instance.name;
  deps.cluster = world.cluster;
  deps.shared = world.shared;
  deps.clock = world.clock;
  deps.scheduler = world.scheduler;
  deps.own_pod = world.own_pod;
  if (world.metrics) {
    const auto metrics = world.metrics(*served.info);
    if (!metrics.ok()) return Of(instance, metrics.status());
    deps.metrics = *metrics;
  }
  deps.log = [name = instance.name](std::string_view line) {
    spdlog::info("{}: {}", name, LineForLog(line));
  };
  deps.warn = [name = instance.name](std::string_view line) {
    spdlog::warn("{}: {}", name, LineForLog(line));
  };
  if (DecisionsAreLogged()) {
    deps.debug = [name = instance.name](std::string_view line) {
      spdlog::debug("{}: {}", name, LineForLog(line));
    };
  }
  auto agent = served.info->factory.make(deps, served.settings);
  if (!agent.ok()) return Of(instance, agent.status());
  instance.agent = *std::move(agent);
  instance.needs = instance.agent->Reads();
  instance.filterer = dynamic_cast<const Filterer*>(instance.agent.get());
  instance.scorer = dynamic_cast<const Scorer*>(instance.agent.get());
  instance.prebinder = dynamic_cast<PreBinder*>(instance.agent.get());
  instance.binder = dynamic_cast<Binder*>(instance.agent.get());
  instance.preempter = dynamic_cast<const Preempter*>(instance.agent.get());
  instance.controller = dynamic_cast<Controller*>(instance.agent.get());
  instance.page_source = dynamic_cast<const PageSource*>(instance.agent.get());
  instance.named_scorers = instance.agent->NamedScorers();
  instance.diagnostics = std::make_unique<CountingDiagnostics>(instance.name, observer);
  return instance;
}

void LetWaitForNews(Pipeline* pipeline) {
  // Who answers by what it does on the cluster knows whom it has to wake.
  const auto judges_by_the_view = [](const Pipeline::Filtering& filtering) {
    const Controller* const controller = filtering.instance->controller;
    return controller == nullptr || !controller->IsNeededToAnswer();
  };
  pipeline->waits_for_news =
      !pipeline->filters.empty() && pipeline->needs.AnyOfNode() &&
      std::all_of(pipeline->filters.begin(), pipeline->filters.end(), judges_by_the_view);
  if (pipeline->waits_for_news) pipeline->needs.PodStatus();  // the pod's version
}

absl::StatusOr<std::vector<Pipeline>> MakePlans(const std::vector<ServedAgent>& agents,
                                                const std::vector<Instance>& instances) {
  std::vector<Pipeline> pipelines;
  for (size_t i = 0; i < instances.size(); ++i) {
    const size_t first = pipelines.size();
    AddOwnPaths(instances[i], &pipelines);
    for (const Alias& alias : agents[i].info->factory.aliases) {
      const absl::Status added = AddAlias(alias, instances[i], &pipelines);
      if (!added.ok()) return added;
    }
    if (instances[i].takes_calls) continue;
    for (size_t own = first; own < pipelines.size(); ++own) Refuse(&pipelines[own]);
  }
  const absl::Status merged = AddMergedPaths(instances, &pipelines);
  if (!merged.ok()) return merged;
  for (Pipeline& pipeline : pipelines) LetWaitForNews(&pipeline);

  absl::flat_hash_set<std::string> paths;
  for (const Pipeline& pipeline : pipelines) {
    if (!paths.insert(pipeline.endpoint.path).second) {
      return absl::InvalidArgumentError(
          fmt::format("path {} would be served twice: an agent is named twice, or two agents claim "
                      "one path",
                      pipeline.endpoint.path));
    }
  }
  return pipelines;
}

void CountingDiagnostics::Malformed(std::string_view node, std::string_view field,
                                    std::string_view value, std::string_view accepted) {
  observer_->OnMalformed(agent_, field);
  if (!FirstTime(field, value)) return;
  spdlog::warn("{}{}{}: {}={} is not {}; treated as absent (warned about once)",
               agent_.empty() ? "request" : agent_, node.empty() ? "" : ": node ",
               node.empty() ? "" : ForLog(node), ForLog(field), ForLog(value), accepted);
}

bool CountingDiagnostics::FirstTime(std::string_view field, std::string_view value) {
  std::string key(field);
  key += '=';
  key += value.substr(0, 64);
  const MutexLock lock(mutex_);
  if (warned_.size() >= kRememberedWarnings) return false;
  return warned_.insert(std::move(key)).second;
}

}  // namespace outrigger::engine
