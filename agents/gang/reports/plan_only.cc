// Gangs that wait only because the plan refuses what kube-scheduler would take: the settings of
// both differ, or there is a fault here. Nothing else would show it.
#include <utility>

#include "fmt/format.h"
#include "reports/gang_metrics.h"
#include "reports/reports.h"

namespace outrigger::gang {
namespace {

// A gang has waited for so long; and the time from one look at it to the next.
constexpr std::chrono::seconds kJudgeAfter{60};

}  // namespace

std::optional<Time> Reports::JudgeAt(const plan::UnitKey& key) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = gangs_.find(key);
  if (found == gangs_.end() || !found->second.unfit_since) return std::nullopt;
  const Gang& gang = found->second;
  return (gang.judged_at ? *gang.judged_at : *gang.unfit_since) + kJudgeAfter;
}

void Reports::Judge(Explainer* explainer, const std::shared_ptr<const ClusterSnapshot>& snapshot,
                    const plan::PlanOptions& options, const Offers& offers, const Board& board,
                    Time now) {
  for (size_t i = 0; i < board.units().size(); ++i) {
    const BoardUnit& unit = board.units()[i];
    if (!unit.gang || unit.fits) continue;
    const std::optional<Time> at = JudgeAt(unit.key);
    if (!at) continue;
    std::vector<Offers::Offer> offered = offers.Of(board, i, *snapshot);
    if (*at > now) {
      if (!offered.empty()) next_look_.Add(*at);
      continue;
    }
    if (offered.empty()) {
      OnJudged(board, unit.key, "", now);
    } else if (explainer->IsIdle()) {
      plan::PlanOptions alone;
      alone.checks = options.checks;
      explainer->Begin({.snapshot = snapshot,
                        .units = {},
                        .options = std::move(alone),
                        .gang = unit.key,
                        .offered = std::move(offered)});
      FirstPods pods(board);
      TakeExplained(explainer, board, &pods, now);
    }
  }
  CountPlanOnly();
}

void Reports::OnJudged(const Board& board, const plan::UnitKey& key, const std::string& refused,
                       Time now) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = gangs_.find(key);
    if (found == gangs_.end()) return;
    Gang& gang = found->second;
    gang.judged_at = now;
    const bool is_known = std::exchange(gang.refused_by_plan, !refused.empty());
    if (refused.empty() || is_known) return;
  }
  std::string text = fmt::format(
      "gang {} waits only because its plan refuses {}, which kube-scheduler lets pass: outrigger "
      "doctor compares their settings; if it finds nothing, this is a fault of outrigger",
      TextOf(key), refused);
  log_(text);
  FirstPods pods(board);
  Tell(&pods, key, "GangRefusedByPlan", std::move(text));
}

void Reports::CountPlanOnly() {
  size_t count = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [key, gang] : gangs_) count += gang.refused_by_plan ? 1 : 0;
  }
  metrics_->Set(metric::kRefusedByPlan, "", static_cast<double>(count));
}

}  // namespace outrigger::gang
