#include "engine/instance.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "engine/log_text.h"
#include "fmt/format.h"
#include "spdlog/spdlog.h"

namespace outrigger::engine {
namespace {

constexpr Verb kVerbs[] = {Verb::kFilter, Verb::kPrioritize, Verb::kBind, Verb::kPreempt};

void AddOwnPaths(const Instance& instance, std::vector<Plan>* plans) {
  for (const Verb verb : kVerbs) {
    Plan plan = PlanFor(fmt::format("/{}/{}", instance.name, VerbName(verb)), instance.name, verb);
    if (AddStage(instance, &plan)) plans->push_back(std::move(plan));
  }
  for (const NamedScorer& named : instance.named_scorers) {
    Plan plan = PlanFor(fmt::format("/{}/{}/prioritize", instance.name, named.name), instance.name,
                        Verb::kPrioritize);
    plan.scorers.push_back({&instance, named.scorer});
    plan.needs = instance.needs;
    plans->push_back(std::move(plan));
  }
}

absl::Status AddAlias(const Alias& alias, const Instance& instance, std::vector<Plan>* plans) {
  const Verb verb = alias.verb == Alias::Verb::kFilter ? Verb::kFilter : Verb::kPrioritize;
  Plan plan = PlanFor(alias.path, instance.name, verb);
  if (alias.scorer.empty()) {
    if (!AddStage(instance, &plan)) {
      return absl::InternalError(fmt::format("agent {}: alias {} wants {}, which it does not have",
                                             instance.name, alias.path, VerbName(verb)));
    }
  } else {
    for (const NamedScorer& named : instance.named_scorers) {
      if (named.name == alias.scorer) plan.scorers.push_back({&instance, named.scorer});
    }
    plan.needs = instance.needs;
    if (plan.scorers.empty()) {
      return absl::InternalError(
          fmt::format("agent {}: alias {} wants scorer {:?}, which it does "
                      "not have",
                      instance.name, alias.path, alias.scorer));
    }
  }
  plans->push_back(std::move(plan));
  return absl::OkStatus();
}

// The same error with the agent's name.
absl::Status Of(const Instance& instance, const absl::Status& status) {
  return {status.code(), fmt::format("agent {}: {}", instance.name, std::string(status.message()))};
}

absl::Status AddMergedPaths(const std::vector<Instance>& instances, std::vector<Plan>* plans) {
  for (const Verb verb : kVerbs) {
    Plan plan = PlanFor(fmt::format("/{}", VerbName(verb)), "all", verb);
    bool any = false;
    for (const Instance& instance : instances) {
      const Instance* const binder_before = plan.binder;
      any |= AddStage(instance, &plan);
      if (binder_before != nullptr && plan.binder != binder_before) {
        return absl::InvalidArgumentError(
            fmt::format("agents {} and {} both bind pods, and only one may: serve them as two "
                        "processes",
                        binder_before->name, instance.name));
      }
    }
    if (any) plans->push_back(std::move(plan));
  }
  return absl::OkStatus();
}

}  // namespace

Plan PlanFor(std::string path, std::string agent, Verb verb) {
  Plan plan;
  plan.endpoint = {.path = std::move(path), .agent = std::move(agent), .verb = verb};
  return plan;
}

bool AddStage(const Instance& instance, Plan* plan) {
  switch (plan->endpoint.verb) {
    case Verb::kFilter:
      if (instance.filterer == nullptr) return false;
      plan->filters.push_back({&instance, instance.filterer});
      break;
    case Verb::kPrioritize:
      if (instance.scorer == nullptr) return false;
      plan->scorers.push_back({&instance, instance.scorer});
      break;
    case Verb::kBind:
      if (instance.binder == nullptr) return false;
      plan->binder = &instance;
      break;
    case Verb::kPreempt:
      if (instance.preempter == nullptr) return false;
      plan->preempters.push_back({&instance, instance.preempter});
      break;
  }
  plan->needs.Merge(instance.needs);
  return true;
}

absl::StatusOr<Instance> MakeInstance(const ServedAgent& served, const AgentWorld& world,
                                      Observer* observer) {
  Instance instance;
  instance.name = served.info->name;
  instance.weight = served.weight;
  if (!(served.weight > 0)) {
    return absl::InvalidArgumentError(
        fmt::format("agent {}: weight {} is not accepted: a number "
                    "above 0",
                    instance.name, served.weight));
  }
  AgentDeps deps;
  deps.name = instance.name;
  deps.cluster = world.cluster;
  if (world.metrics) {
    const auto metrics = world.metrics(*served.info);
    if (!metrics.ok()) return Of(instance, metrics.status());
    deps.metrics = *metrics;
  }
  deps.log = [name = instance.name](std::string_view line) {
    spdlog::info("{}: {}", name, LineForLog(line));
  };
  auto agent = served.info->factory.make(deps, served.settings);
  if (!agent.ok()) return Of(instance, agent.status());
  instance.agent = *std::move(agent);
  instance.needs = instance.agent->Reads();
  instance.filterer = dynamic_cast<const Filterer*>(instance.agent.get());
  instance.scorer = dynamic_cast<const Scorer*>(instance.agent.get());
  instance.binder = dynamic_cast<Binder*>(instance.agent.get());
  instance.preempter = dynamic_cast<const Preempter*>(instance.agent.get());
  instance.controller = dynamic_cast<Controller*>(instance.agent.get());
  instance.named_scorers = instance.agent->NamedScorers();
  instance.diagnostics = std::make_unique<CountingDiagnostics>(instance.name, observer);
  return instance;
}

void LetWaitForNews(Plan* plan) {
  // Who works on the cluster by itself knows whom it has to wake.
  const auto judges_nodes_alone = [](const Plan::Filtering& filtering) {
    return filtering.instance->controller == nullptr;
  };
  plan->waits_for_news =
      !plan->filters.empty() && plan->needs.AnyOfNode() &&
      std::all_of(plan->filters.begin(), plan->filters.end(), judges_nodes_alone);
  if (plan->waits_for_news) plan->needs.PodStatus();  // the pod's version
}

absl::StatusOr<std::vector<Plan>> MakePlans(const std::vector<ServedAgent>& agents,
                                            const std::vector<Instance>& instances) {
  std::vector<Plan> plans;
  for (size_t i = 0; i < instances.size(); ++i) {
    AddOwnPaths(instances[i], &plans);
    for (const Alias& alias : agents[i].info->factory.aliases) {
      const absl::Status added = AddAlias(alias, instances[i], &plans);
      if (!added.ok()) return added;
    }
  }
  const absl::Status merged = AddMergedPaths(instances, &plans);
  if (!merged.ok()) return merged;
  for (Plan& plan : plans) LetWaitForNews(&plan);

  absl::flat_hash_set<std::string> paths;
  for (const Plan& plan : plans) {
    if (!paths.insert(plan.endpoint.path).second) {
      return absl::InvalidArgumentError(
          fmt::format("path {} would be served twice: an agent is named twice, or two agents claim "
                      "one path",
                      plan.endpoint.path));
    }
  }
  return plans;
}

}  // namespace outrigger::engine
