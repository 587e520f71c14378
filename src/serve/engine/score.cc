#include <algorithm>
#include <cmath>

#include "fmt/format.h"
#include "serve/engine/call.h"
#include "serve/engine/decision_log.h"

namespace outrigger::engine {
namespace {

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
