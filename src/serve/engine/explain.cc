#include "serve/engine/explain.h"

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "fmt/format.h"
#include "outrigger/base/mutex.h"
#include "serve/engine/call.h"
#include "serve/engine/text.h"
#include "spdlog/spdlog.h"

namespace outrigger::engine {
namespace {

// Keeps an agent's reports for the person who asked.
class KeepingDiagnostics final : public Diagnostics {
 public:
  KeepingDiagnostics(std::string agent, std::vector<ExplainedMalformed>* kept, Mutex* mutex)
      : agent_(std::move(agent)), kept_(kept), mutex_(mutex) {}

  void Malformed(std::string_view node, std::string_view field, std::string_view value,
                 std::string_view accepted) override {
    constexpr size_t kLongest = 64;
    const MutexLock lock(*mutex_);
    if (kept_->size() >= Explanation::kMaxMalformed) return;
    // Filter and scorers of one agent stumble over the same value.
    for (const ExplainedMalformed& known : *kept_) {
      if (known.agent == agent_ && known.node == node && known.field == field) return;
    }
    kept_->push_back({agent_, std::string(node), std::string(field),
                      std::string(value.substr(0, kLongest)), std::string(accepted)});
  }

 private:
  const std::string agent_;
  std::vector<ExplainedMalformed>* const kept_ ABSL_PT_GUARDED_BY(mutex_);
  Mutex* const mutex_;
};

class Explainer {
 public:
  Explainer(const Pod& pod, std::span<const Node> nodes, Observer* observer, ClusterAccess* cluster)
      : nodes_(nodes), observer_(observer), world_{.cluster = cluster} {
    state_.args.pod = pod;
    state_.nodes.reserve(nodes.size());
    for (const Node& node : nodes) state_.nodes.emplace_back(node);
  }

  absl::StatusOr<Explanation> Run(const std::vector<ServedAgent>& agents) {
    const absl::Status made = Make(agents);
    if (!made.ok()) return made;
    for (const Node& node : nodes_) {
      ExplainedNode& explained = result_.nodes.emplace_back();
      explained.name = node.name;
      explained.answers.resize(instances_.size());
    }
    for (size_t i = 0; i < instances_.size(); ++i) Ask(i);
    FilterMerged();
    ScoreMerged();
    Sort();
    Count();
    return std::move(result_);
  }

 private:
  absl::Status Make(const std::vector<ServedAgent>& agents) {
    instances_.reserve(agents.size());  // pipelines point into it
    for (const ServedAgent& served : agents) {
      auto instance = MakeInstance(served, /*world=*/{}, observer_);
      if (!instance.ok()) return instance.status();
      if (instance->filterer != nullptr && instance->controller != nullptr &&
          instance->controller->IsNeededToAnswer()) {
        result_.left_out.push_back(instance->name);
        continue;
      }
      const bool is_asked = instance->filterer != nullptr || instance->scorer != nullptr;
      if (world_.cluster != nullptr && is_asked && instance->needs.Has(Needs::kClusterPods)) {
        instance = MakeInstance(served, world_, observer_);
        if (!instance.ok()) return instance.status();
      }
      instance->diagnostics = std::make_unique<KeepingDiagnostics>(
          instance->name, &result_.malformed, &malformed_mutex_);
      ExplainedAgent agent{.name = instance->name,
                           .weight = instance->weight,
                           .filters = instance->filterer != nullptr,
                           .scores = instance->scorer != nullptr,
                           .scorers = {},
                           .faults = {}};
      for (const NamedScorer& named : instance->named_scorers) agent.scorers.push_back(named.name);
      result_.agents.push_back(std::move(agent));
      instances_.push_back(*std::move(instance));
    }
    return absl::OkStatus();
  }

  // What a path of an engine does with a call, without the protocol around it.
  CallError Answer(const Pipeline& pipeline) {
    // An agent may be anybody's code; what it throws ends here.
    try {
      return pipeline.endpoint.verb == Verb::kFilter
                 ? RunFilters(pipeline, true, observer_, &state_)
                 : RunScorers(pipeline, true, observer_, &state_);
    } catch (const std::exception& caught) {
      spdlog::error("{}: internal error: {}", pipeline.endpoint.path, ForLog(caught.what()));
    } catch (...) {
      spdlog::error("{}: internal error", pipeline.endpoint.path);
    }
    return {ErrorKind::kInternal,
            fmt::format("{}: internal error, see the log", pipeline.endpoint.Title())};
  }

  bool AnswerAlone(size_t agent, const Pipeline& pipeline) {
    const CallError error = Answer(pipeline);
    if (!error.ok()) {
      result_.agents[agent].faults.push_back({pipeline.endpoint.path, ForEvent(error.text)});
    }
    return error.ok();
  }

  Pipeline Own(const Instance& instance, Verb verb, std::string_view scorer = "") const {
    const std::string_view slash = scorer.empty() ? "" : "/";
    return PipelineFor(fmt::format("/{}{}{}/{}", instance.name, slash, scorer, VerbName(verb)),
                       instance.name, verb);
  }

  void Ask(size_t agent) {
    const Instance& instance = instances_[agent];
    Pipeline filter = Own(instance, Verb::kFilter);
    if (AddStage(instance, &filter) && AnswerAlone(agent, filter)) {
      for (size_t i = 0; i < nodes_.size(); ++i) {
        result_.nodes[i].answers[agent].verdict = state_.kinds[i];
        result_.nodes[i].answers[agent].reason = state_.reasons[i];
      }
    }
    Pipeline score = Own(instance, Verb::kPrioritize);
    if (AddStage(instance, &score) && AnswerAlone(agent, score)) {
      for (size_t i = 0; i < nodes_.size(); ++i) result_.nodes[i].answers[agent].score = Score(i);
    }
    for (const NamedScorer& named : instance.named_scorers) {
      Pipeline pipeline = Own(instance, Verb::kPrioritize, named.name);
      pipeline.scorers.push_back({&instance, named.scorer});
      const bool answered = AnswerAlone(agent, pipeline);
      for (size_t i = 0; i < nodes_.size(); ++i) {
        auto& scorers = result_.nodes[i].answers[agent].scorers;
        scorers.push_back(answered ? std::optional(Score(i)) : std::nullopt);
      }
    }
  }

  // Of a pipeline with one scorer, which was just run.
  ExplainedScore Score(size_t node) const {
    return {.value = state_.sums[node],
            .points = state_.scores[node],
            .why = state_.node_scores[node].why.text()};
  }

  bool Failed(const Instance& instance, Verb verb) const {
    const std::string path = Own(instance, verb).endpoint.path;
    const auto& faults = result_.agents[static_cast<size_t>(&instance - instances_.data())].faults;
    return std::any_of(faults.begin(), faults.end(),
                       [&](const ExplainedFault& fault) { return fault.path == path; });
  }

  // The merged path itself would fail as a whole where one agent fails: ask the others.
  void FilterMerged() {
    Pipeline pipeline = PipelineFor("/filter", kMergedLabel, Verb::kFilter);
    for (const Instance& instance : instances_) {
      if (!Failed(instance, Verb::kFilter)) {
        AddStage(instance, &pipeline);
      } else {
        result_.filter_failed = true;
      }
    }
    if (!Answer(pipeline).ok()) {
      result_.filter_failed = true;
      return;
    }
    for (size_t i = 0; i < nodes_.size(); ++i) {
      result_.nodes[i].verdict = state_.kinds[i];
      result_.nodes[i].reason = state_.reasons[i];
    }
  }

  // A mean without one of its parts would be misleading: where one agent fails there is none.
  void ScoreMerged() {
    Pipeline pipeline = PipelineFor("/prioritize", kMergedLabel, Verb::kPrioritize);
    double weights = 0;
    for (const Instance& instance : instances_) {
      if (Failed(instance, Verb::kPrioritize)) return;
      if (AddStage(instance, &pipeline)) weights += instance.weight;
    }
    if (pipeline.scorers.empty() || !Answer(pipeline).ok()) return;
    if (pipeline.scorers.size() == 1) weights = 1;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      result_.nodes[i].points = state_.scores[i];
      result_.nodes[i].value = state_.sums[i] / weights;
    }
  }

  void Sort() {
    const auto key = [](const ExplainedNode& node) {
      return std::tuple(node.verdict != Verdict::Kind::kFits, -node.points.value_or(0),
                        std::string_view(node.name));
    };
    std::sort(result_.nodes.begin(), result_.nodes.end(),
              [&](const ExplainedNode& a, const ExplainedNode& b) { return key(a) < key(b); });
  }

  void Count() {
    std::map<std::string_view, size_t> counts;
    for (const ExplainedNode& node : result_.nodes) {
      if (node.verdict == Verdict::Kind::kFits) {
        ++result_.fitting;
      } else {
        ++counts[node.reason];
      }
    }
    if (result_.filter_failed) result_.fitting = 0;
    for (const auto& [reason, count] : counts) {
      result_.reasons.push_back({std::string(reason), count});
    }
    std::stable_sort(result_.reasons.begin(), result_.reasons.end(),
                     [](const auto& a, const auto& b) { return a.nodes > b.nodes; });
  }

  const std::span<const Node> nodes_;
  Observer* const observer_;
  const AgentWorld world_;
  std::vector<Instance> instances_;
  CallState state_;
  Explanation result_;
  Mutex malformed_mutex_;  // guards result_.malformed while an agent is asked
};

}  // namespace

absl::StatusOr<Explanation> Explain(const std::vector<ServedAgent>& agents, const Pod& pod,
                                    std::span<const Node> nodes, Observer* observer,
                                    ClusterAccess* cluster) {
  return Explainer(pod, nodes, observer, cluster).Run(agents);
}

std::string EventText(const Explanation& explanation) {
  if (explanation.fitting > 0 || explanation.filter_failed) return "";
  std::string text = fmt::format("0/{} nodes are available", explanation.nodes.size());
  if (explanation.reasons.empty()) return text + ".";
  return fmt::format("{}: {}.", text, CountedReasonsText(explanation.reasons));
}

}  // namespace outrigger::engine
