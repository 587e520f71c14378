#include "serve/engine/call.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fmt/format.h"
#include "serve/engine/decision_log.h"
#include "serve/engine/node_table.h"
#include "serve/engine/text.h"

namespace outrigger::engine {
namespace {

// Calls for filter and prioritize come one at a time from each scheduler.
constexpr size_t kKeptStates = 8;
// A state that served a larger cluster than this is given back to the system.
constexpr size_t kKeptNodes = 20'000;

// The nodes that are still missing are names and nothing else. Returns how many that are.
size_t FillBare(CallState* state) {
  const auto missing =
      static_cast<size_t>(std::count_if(state->nodes.begin(), state->nodes.end(),
                                        [](const NodeRef& node) { return node.node == nullptr; }));
  if (state->bare.size() < missing) state->bare.resize(missing);
  auto next = state->bare.begin();
  for (size_t i = 0; i < state->nodes.size(); ++i) {
    if (state->nodes[i].node != nullptr) continue;
    next->known = false;
    next->name = state->args.names[i];
    state->nodes[i] = NodeRef(*next++);
  }
  return missing;
}

// The nodes that nobody has rejected yet: mostly all, which are not copied.
std::span<const NodeRef> OfferSurvivors(CallState* state) {
  state->offered.clear();
  state->offered_index.clear();
  if (state->reasoned.empty() && !state->left_out) return state->nodes;
  for (size_t i = 0; i < state->nodes.size(); ++i) {
    if (state->kinds[i] != Verdict::Kind::kFits) continue;
    state->offered.push_back(state->nodes[i]);
    state->offered_index.push_back(i);
  }
  return state->offered;
}

// Few classes occur in one call, so a short list beats a map.
class ReasonCounts {
 public:
  void Count(std::string_view reason_class) {
    for (auto& [name, count] : counts_) {
      if (name == reason_class) {
        ++count;
        return;
      }
    }
    counts_.emplace_back(reason_class, 1);
  }
  void Report(std::string_view agent, Observer* observer) const {
    for (const auto& [name, count] : counts_) observer->OnRejected(agent, name, count);
  }

 private:
  std::vector<std::pair<std::string_view, size_t>> counts_;
};

void TakeVerdicts(const Instance& instance, Observer* observer, CallState* state) {
  ReasonCounts counts;
  for (size_t i = 0; i < state->verdicts.size(); ++i) {
    const Verdict& verdict = state->verdicts[i];
    if (verdict.fits()) continue;
    const size_t at = state->offered_index.empty() ? i : state->offered_index[i];
    state->kinds[at] = verdict.kind();
    if (verdict.kind() == Verdict::Kind::kLeftOut) {
      state->left_out = true;
      continue;
    }
    // The scheduler does not tell people which extender spoke.
    state->reasoned.push_back(at);
    std::string& reason = state->reasons[at];  // empty, with the memory of an earlier one
    reason.append(instance.name).append(": ");
    AppendForEvent(verdict.reason(), &reason);
    counts.Count(verdict.reason_class());
  }
  counts.Report(instance.name, observer);
}

// An agent's faulty score must not decide anything: worst, and counted.
double Clamped(double value, bool* faulty) {
  if (value >= 0 && value <= 1) return value;
  *faulty = true;
  return std::isnan(value) ? 0 : std::clamp(value, 0.0, 1.0);
}

// Halves round up, as the original agents round.
int WireScore(double value) {
  return static_cast<int>(std::floor(value * 10 + 0.5));
}

void AddScores(const Pipeline& pipeline, const Instance& instance, Observer* observer,
               CallState* state) {
  const bool alone = pipeline.scorers.size() == 1;
  bool faulty = false;
  for (size_t i = 0; i < state->node_scores.size(); ++i) {
    const double value = Clamped(state->node_scores[i].value, &faulty);
    // A single agent's score is not multiplied and divided, which could move it off a half.
    state->sums[i] = alone ? value : state->sums[i] + instance.weight * value;
  }
  if (faulty) observer->OnMalformed(instance.name, "score");
}

}  // namespace

std::unique_ptr<CallState> CallStatePool::Take() {
  {
    const MutexLock lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<CallState> state = std::move(free_.back());
      free_.pop_back();
      return state;
    }
  }
  return std::make_unique<CallState>();
}

void CallStatePool::Return(std::unique_ptr<CallState> state) {
  state->view.reset();
  state->abandoned = {};
  if (state->nodes.capacity() > kKeptNodes) return;
  const MutexLock lock(mutex_);
  if (free_.size() < kKeptStates) free_.push_back(std::move(state));
}

CallError FromDecoding(const absl::Status& status) {
  const ErrorKind kind = status.code() == absl::StatusCode::kFailedPrecondition
                             ? ErrorKind::kUnanswerable
                             : ErrorKind::kBadRequest;
  return {kind, std::string(status.message())};
}

CallError ResolveNodes(const Pipeline& pipeline, const NodeSource* source, Observer* observer,
                       CallState* state) {
  const bool look_up = !state->args.has_full_nodes && pipeline.needs.AnyOfNode();
  if (look_up && source == nullptr) {
    return {ErrorKind::kUnanswerable,
            fmt::format(
                "{} needs more of a node than its name, but this call carries only names: let it "
                "watch the cluster (--kubeconfig FILE, or in a pod), or set nodeCacheCapable: "
                "false for this extender (outrigger scheduler-config --full-nodes)",
                pipeline.endpoint.Title())};
  }
  state->nodes.assign(state->args.names.size(), {});
  if (!look_up) {
    const absl::Status differ = wire::CheckNodeNames(state->args);
    if (!differ.ok()) return FromDecoding(differ);
    for (size_t i = 0; i < state->args.nodes.size(); ++i) {
      state->nodes[i] = NodeRef(state->args.nodes[i]);
    }
    FillBare(state);
    return {};
  }
  auto view = source->Pin();
  if (!view.ok()) {
    return {ErrorKind::kUnanswerable,
            fmt::format("{}: {}", pipeline.endpoint.Title(), std::string(view.status().message()))};
  }
  state->view = *std::move(view);
  const bool known_differ = state->view->FindAll(state->args.names, state->nodes);
  const size_t unknown = FillBare(state);
  if (unknown == 0 && known_differ) return {};
  const absl::Status differ = wire::CheckNodeNames(state->args);
  if (!differ.ok()) return FromDecoding(differ);
  observer->OnUnknownNodes(pipeline.endpoint.agent, unknown);
  return {};
}

CallError RunFilters(const Pipeline& pipeline, bool explaining, Observer* observer,
                     CallState* state) {
  state->kinds.assign(state->nodes.size(), Verdict::Kind::kFits);
  // Mostly few of thousands have one: those alone are touched.
  for (const size_t i : state->reasoned) state->reasons[i].clear();
  state->reasoned.clear();
  state->left_out = false;
  state->reasons.resize(state->nodes.size());
  for (const auto& [instance, filterer] : pipeline.filters) {
    if (state->abandoned.stop_requested()) return Abandoned();
    const std::span<const NodeRef> offered = OfferSurvivors(state);
    state->verdicts.clear();
    state->verdicts.resize(offered.size());  // they fit
    const Request request{.pod = state->args.pod,
                          .nodes = NodeList(offered),
                          .diagnostics = *instance->diagnostics,
                          .explaining = explaining,
                          .abandoned = state->abandoned};
    const absl::Status status = filterer->Filter(request, state->verdicts);
    if (!status.ok()) {
      return {ErrorKind::kAgent,
              fmt::format("{}: {}", instance->name, std::string(status.message()))};
    }
    TakeVerdicts(*instance, observer, state);
  }
  if (explaining) LogFilterDecision(pipeline.endpoint, *state);
  return {};
}

CallError RunScorers(const Pipeline& pipeline, bool explaining, Observer* observer,
                     CallState* state) {
  const size_t count = state->nodes.size();
  state->sums.assign(count, 0);
  double weights = 0;
  for (const auto& [instance, scorer] : pipeline.scorers) {
    if (state->abandoned.stop_requested()) return Abandoned();
    state->node_scores.clear();
    state->node_scores.resize(count);
    const Request request{.pod = state->args.pod,
                          .nodes = NodeList(state->nodes),
                          .diagnostics = *instance->diagnostics,
                          .explaining = explaining,
                          .abandoned = state->abandoned};
    const absl::Status status = scorer->Score(request, state->node_scores);
    if (!status.ok()) {
      return {ErrorKind::kAgent,
              fmt::format("{}: {}", instance->name, std::string(status.message()))};
    }
    AddScores(pipeline, *instance, observer, state);
    weights += instance->weight;
  }
  const double divisor = pipeline.scorers.size() == 1 ? 1 : weights;
  state->scores.resize(count);
  for (size_t i = 0; i < count; ++i) state->scores[i] = WireScore(state->sums[i] / divisor);
  if (explaining) LogScoreDecision(pipeline.endpoint, *state);
  return {};
}

}  // namespace outrigger::engine
