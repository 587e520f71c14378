#include <algorithm>

#include "fmt/format.h"
#include "serve/engine/call.h"
#include "serve/engine/decision_log.h"
#include "serve/engine/event_text.h"

namespace outrigger::engine {
namespace {

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

}  // namespace

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

}  // namespace outrigger::engine
