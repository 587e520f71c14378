#include "reports/reports.h"

#include <algorithm>
#include <utility>

#include "common/desk_names.h"
#include "events/gang_event.h"
#include "fmt/chrono.h"
#include "fmt/format.h"
#include "outrigger/plan/group.h"
#include "reports/gang_metrics.h"

namespace outrigger::gang {
namespace {

using std::chrono::duration;

std::string_view WhatIsDone(plan::OnMemberLoss policy) {
  switch (policy) {
    case plan::OnMemberLoss::kIgnore:
      return "it runs on, since it ignores losses";
    case plan::OnMemberLoss::kRestart:
      return "the rest is evicted, so that it starts anew";
    case plan::OnMemberLoss::kReplace:
      break;
  }
  return "its missing members come before others of its priority when there is room";
}

}  // namespace

Reports::Reports(ClusterWriter* cluster, AgentMetrics* metrics, Log log, SteadyNow now)
    : cluster_(cluster), metrics_(metrics), log_(std::move(log)), now_(std::move(now)) {}

void Reports::CountWaiting(const Board& board) {
  std::map<std::string, size_t> waiting;
  for (const auto& [cause, count] : waiting_) waiting[cause] = 0;
  for (const BoardUnit& unit : board.units()) {
    if (unit.gang && !unit.fits) ++waiting[unit.label];
  }
  for (const plan::GroupState& group : board.groups()) {
    if (Waits(group)) ++waiting[std::string(TextOf(group.cause))];
  }
  for (const auto& [cause, count] : waiting) {
    metrics_->Set(metric::kWaitingGangs, cause, static_cast<double>(count));
  }
  waiting_ = std::move(waiting);
}

void Reports::Tell(FirstPods* pods, const plan::UnitKey& key, std::string reason,
                   std::string note) {
  if (auto event = GangEvent(pods, key, std::move(reason), std::move(note))) {
    cluster_->Record(*std::move(event));
  }
}

Reports::Gang& Reports::See(const plan::UnitKey& key, Time now) {
  Gang& gang = gangs_[key];
  gang.seen = true;
  if (!gang.waiting_since) gang.waiting_since = now;
  if (now - *gang.waiting_since < kTellAfter) next_look_.Add(*gang.waiting_since + kTellAfter);
  return gang;
}

void Reports::OnBarriers(size_t standing, size_t waiters) {
  metrics_->Set(metric::kStanding, "", static_cast<double>(standing));
  metrics_->Set(metric::kWaiters, "", static_cast<double>(waiters));
}

void Reports::OnPlan(const Board& board, const std::vector<plan::Note>& notes,
                     const std::vector<TimedOut>& timed_out, Time now) {
  next_look_.Reset();
  CountWaiting(board);
  TellLeft(board);
  for (const plan::Note& note : notes) log_(fmt::format("{}: {}", note.about, note.text));
  TellTimedOut(board, timed_out);
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& [key, gang] : gangs_) gang.seen = false;
  for (const BoardUnit& unit : board.units()) {
    if (!unit.gang && unit.fits) continue;
    Gang& gang = See(unit.key, now);
    if (*gang.waiting_since == now) gang.has_bound = !board.BoundOf(unit.key).empty();
    if (unit.fits) gang.told_word = gang.told_text = "";
  }
  for (const plan::GroupState& group : board.groups()) {
    if (Waits(group)) See(group.key, now);
  }
  std::erase_if(gangs_, [](const auto& entry) { return !entry.second.seen; });
  for (const TimedOut& gang : timed_out) {
    const auto found = gangs_.find(gang.key);
    if (found == gangs_.end()) continue;
    found->second.gave_up = fmt::format("; it gave up its places after {}", gang.after);
  }
}

void Reports::TellTimedOut(const Board& board, const std::vector<TimedOut>& timed_out) {
  FirstPods pods(board);
  for (const TimedOut& gang : timed_out) {
    metrics_->Add(metric::kTimeouts, "", 1);
    std::string text = fmt::format(
        "gang {} was not complete within {} of getting places: they go to others, and it comes "
        "behind those of its priority",
        TextOf(gang.key), gang.after);
    log_(text);
    Tell(&pods, gang.key, "GangTimedOut", std::move(text));
  }
}

// Once of each: that nothing more will be told of it.
void Reports::TellLeft(const Board& board) {
  std::set<plan::UnitKey> left;
  for (const plan::GroupState& group : board.groups()) {
    if (group.cause != plan::GroupCause::kLeftToScheduler) continue;
    left.insert(group.key);
    if (left_.contains(group.key)) continue;
    log_(fmt::format("gang {} is left to kube-scheduler (leave-upstream)", TextOf(group.key)));
  }
  left_ = std::move(left);
}

void Reports::OnPartial(const Board& board, const std::vector<Recovery::Partial>& partial,
                        size_t count) {
  metrics_->Set(metric::kPartial, "", static_cast<double>(count));
  FirstPods pods(board);
  for (const Recovery::Partial& gang : partial) {
    std::string text =
        fmt::format("gang {} is bound in part: {} of {} members run; {}", TextOf(gang.key),
                    gang.bound, gang.minimum, WhatIsDone(gang.policy));
    log_(text);
    Tell(&pods, gang.key, "GangPartial", std::move(text));
  }
}

void Reports::OnPulse(std::chrono::milliseconds under_way) {
  metrics_->Set(metric::kPlanning, "", static_cast<double>(under_way.count()) / 1000);
}

void Reports::OnReserved(size_t nodes) {
  metrics_->Set(metric::kReserved, "", static_cast<double>(nodes));
}

void Reports::OnActing(const absl::Status& acting) {
  metrics_->Set(metric::kLeading, "", acting.ok() ? 1 : 0);
  if (acting == acting_) return;
  acting_ = acting;
  if (!acting.ok()) Forget();
  log_(acting.ok() ? "in charge" : std::string(acting.message()));
}

// Who is in charge counts from now on.
void Reports::Forget() {
  for (auto& [cause, count] : waiting_) metrics_->Set(metric::kWaitingGangs, cause, 0);
  OnBarriers(0, 0);
  OnReserved(0);
  metrics_->Set(metric::kPartial, "", 0);
}

void Reports::OnNomination(const Nomination& nomination, const absl::Status& status) {
  const bool withdrawn = nomination.node.empty();
  metrics_->Add(metric::kNominations,
                !status.ok() ? "failed"
                : withdrawn  ? "withdrawn"
                             : "written",
                1);
  // Gone, or changed meanwhile: the next plan knows.
  if (absl::IsNotFound(status) || absl::IsAborted(status)) return;
  {
    // Told once: thousands of pods may be tried again and again.
    const std::lock_guard<std::mutex> lock(mutex_);
    if (std::exchange(nomination_error_, status.code()) == status.code() || status.ok()) return;
  }
  log_(fmt::format("pod {}/{} cannot be nominated: {}", nomination.pod->namespace_,
                   nomination.pod->name, std::string(status.message())));
}

void Reports::OnBarrier(const plan::UnitKey& gang, BarrierEnd end, std::chrono::milliseconds held) {
  metrics_->Add(metric::kBarriers, TextOf(end), 1);
  metrics_->Observe(metric::kHeld, TextOf(end), duration<double>(held).count());
  if (end != BarrierEnd::kOpened) {
    return log_(
        fmt::format("gang {}: nothing is bound after {}: {}", TextOf(gang), held, TextOf(end)));
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = gangs_.find(gang);
  if (found != gangs_.end()) Admit(gang, found->second, now_());
}

void Reports::OnBoundOneByOne(const Board& board, Time now) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const plan::GroupState& group : board.groups()) {
    const auto found = group.bound == 0 ? gangs_.end() : gangs_.find(group.key);
    if (found == gangs_.end() || std::exchange(found->second.has_bound, true)) continue;
    Admit(group.key, found->second, now);
  }
}

// With the lock held.
void Reports::Admit(const plan::UnitKey& key, const Gang& gang, Time now) {
  metrics_->Observe(metric::kAdmission, "", duration<double>(now - *gang.waiting_since).count());
  if (!gang.told_at) return;  // nobody was told that it waits
  log_(fmt::format("gang {} waits no longer: its members are bound", TextOf(key)));
}

}  // namespace outrigger::gang
