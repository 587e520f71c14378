#include "reports/held.h"

#include <array>
#include <utility>

#include "events/gang_event.h"
#include "fmt/format.h"
#include "outrigger/base/mutex.h"
#include "reports/gang_metrics.h"

namespace outrigger::gang {
namespace {

using desk::HeldBy;

constexpr std::array kAllHeldBy = {HeldBy::kGroup,   HeldBy::kOtherGate, HeldBy::kClaims,
                                   HeldBy::kNoPlace, HeldBy::kWindow,    HeldBy::kNominations,
                                   HeldBy::kFailing, HeldBy::kNothing};
static_assert(kAllHeldBy.size() == desk::kHeldBys);

// An operator has to see to it: rights, admission webhooks, policies; a claim that the rest of a
// gang waits for. Of a gang that has not begun its wait tells.
bool IsStuck(const desk::HeldUnit& unit) {
  return unit.by == HeldBy::kNominations || unit.by == HeldBy::kFailing ||
         (unit.by == HeldBy::kClaims && unit.has_begun);
}

std::string WhyStuck(const desk::HeldUnit& unit) {
  if (unit.by != HeldBy::kFailing) return unit.why;
  return fmt::format("the gate {} cannot be removed from {}", plan::kQueueGate, unit.why);
}

}  // namespace

Held::Held(ClusterWriter* cluster, AgentMetrics* metrics, Log log)
    : cluster_(cluster), metrics_(metrics), log_(std::move(log)) {}

void Held::Count(const desk::Releases& releases) {
  for (const HeldBy by : kAllHeldBy) {
    metrics_->Set(metric::kGated, TextOf(by), static_cast<double>(releases.Held(by)));
  }
}

void Held::OnPlan(const Board& board, const desk::Releases& releases, Time now) {
  next_look_.Reset();
  Count(releases);
  if (releases.Held(HeldBy::kFailing) == 0) ForgetError();
  for (auto& [key, stuck] : stuck_) stuck.seen = false;
  for (const desk::HeldUnit& unit : releases.units) {
    if (!IsStuck(unit)) continue;
    Stuck& stuck = stuck_.try_emplace(unit.key, Stuck{.since = now, .told_at = {}}).first->second;
    stuck.seen = true;
    const Time due = stuck.told_at ? *stuck.told_at + kTellAgain : stuck.since + kTellAfter;
    if (now < due) {
      next_look_.Add(due);
      continue;
    }
    stuck.told_at = now;
    Tell(board, unit);
  }
  std::erase_if(stuck_, [](const auto& entry) { return !entry.second.seen; });
}

void Held::Tell(const Board& board, const desk::HeldUnit& unit) {
  std::string text =
      fmt::format("gang {} has its nodes but is not released{}: {}", plan::TextOf(unit.key),
                  unit.has_begun ? " completely" : "", WhyStuck(unit));
  log_(text);
  FirstPods pods(board);
  if (auto event = GangEvent(&pods, unit.key, "GangNotReleased", std::move(text))) {
    cluster_->Record(*std::move(event));
  }
}

void Held::Forget() {
  stuck_.clear();
  next_look_.Reset();
  Count({});
}

void Held::ForgetError() {
  const MutexLock lock(mutex_);
  error_ = absl::StatusCode::kOk;
}

void Held::OnRelease(const desk::Release& release, const absl::Status& status) {
  const bool is_gone = absl::IsNotFound(status) || absl::IsAborted(status);
  metrics_->Add(metric::kReleases, status.ok() ? "released" : is_gone ? "gone" : "failed", 1);
  if (is_gone) return;
  if (status.ok()) return;
  {
    // Said once until none fails: thousands of pods may be tried again and again.
    const MutexLock lock(mutex_);
    if (std::exchange(error_, status.code()) == status.code()) return;
  }
  log_(fmt::format("the gate {} cannot be removed from pod {}/{}: {}", plan::kQueueGate,
                   release.pod->namespace_, release.pod->name, std::string(status.message())));
}

}  // namespace outrigger::gang
