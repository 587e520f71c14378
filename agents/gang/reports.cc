#include "reports.h"

#include <algorithm>
#include <utility>

#include "fmt/chrono.h"
#include "fmt/format.h"
#include "gang_event.h"
#include "gang_metrics.h"
#include "outrigger/plan/group.h"
#include "reasons.h"

namespace outrigger::gang {
namespace {

using std::chrono::duration;

// A gang that waits for less than this is told of by nobody: it may be a matter of its last member.
constexpr std::chrono::seconds kTellAfter{2};
// The same again at most so often.
constexpr std::chrono::minutes kTellAgain{5};
// Explanations take a tenth of a core at most.
constexpr int kExplainShare = 10;

// A group of which nothing is planned although a member wants a place.
bool Waits(const plan::GroupState& group) {
  return group.cause != plan::GroupCause::kNone &&
         group.cause != plan::GroupCause::kLeftToScheduler;
}

// What is done for a gang that waits.
std::string_view Kept(const plan::UnitKey& gang, const plan::PlanOptions& options) {
  if (options.promise && options.promise->unit == gang) {
    return "; others are evicted to make room for it";
  }
  const bool reserved = options.reserve_for == gang && !options.reserved.empty();
  return reserved ? "; nodes are kept free for it" : "";
}

}  // namespace

Reports::Reports(ClusterAccess* cluster, AgentMetrics* metrics, Log log)
    : cluster_(cluster), metrics_(metrics), log_(std::move(log)) {}

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

void Reports::Tell(const Board& board, const plan::UnitKey& key, std::string reason,
                   std::string note) {
  if (auto event = GangEvent(board, key, std::move(reason), std::move(note))) {
    cluster_->Record(*std::move(event));
  }
}

Reports::Gang& Reports::See(const plan::UnitKey& key, Time now) {
  Gang& gang = gangs_[key];
  gang.seen = true;
  if (!gang.waiting_since) gang.waiting_since = now;
  if (now - *gang.waiting_since < kTellAfter) Look(*gang.waiting_since + kTellAfter);
  return gang;
}

void Reports::Look(Time at) {
  if (!next_look_ || at < *next_look_) next_look_ = at;
}

void Reports::OnBarriers(size_t standing, size_t waiters) {
  metrics_->Set(metric::kStanding, "", static_cast<double>(standing));
  metrics_->Set(metric::kWaiters, "", static_cast<double>(waiters));
}

void Reports::OnPlan(const Board& board, const std::vector<plan::Note>& notes,
                     const std::vector<Memory::TimedOut>& timed_out, Time now) {
  next_look_.reset();
  CountWaiting(board);
  TellLeft(board);
  for (const plan::Note& note : notes) log_(fmt::format("{}: {}", note.about, note.text));
  for (const Memory::TimedOut& gang : timed_out) {
    metrics_->Add(metric::kTimeouts, "", 1);
    std::string text = fmt::format(
        "gang {} was not complete within {} of getting places: they go to others, and it comes "
        "behind those of its priority",
        TextOf(gang.key), gang.after);
    log_(text);
    Tell(board, gang.key, "GangTimedOut", std::move(text));
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& [key, gang] : gangs_) gang.seen = false;
  for (const BoardUnit& unit : board.units()) {
    if (!unit.gang && unit.fits) continue;
    Gang& gang = See(unit.key, now);
    if (unit.fits) {
      gang.told_word = gang.told_text = "";
      gang.unfit_since.reset();
    } else if (!gang.unfit_since) {
      gang.unfit_since = now;
    }
  }
  for (const plan::GroupState& group : board.groups()) {
    if (Waits(group)) See(group.key, now);
  }
  std::erase_if(gangs_, [](const auto& entry) { return !entry.second.seen; });
  for (const Memory::TimedOut& gang : timed_out) {
    const auto found = gangs_.find(gang.key);
    if (found == gangs_.end()) continue;
    found->second.gave_up = fmt::format("; it gave up its places after {}", gang.after);
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
  for (const Recovery::Partial& gang : partial) {
    std::string text = fmt::format(
        "gang {} is bound in part: {} of {} members run; {}", TextOf(gang.key), gang.bound,
        gang.minimum,
        gang.restarts ? "the rest is evicted, so that it starts anew"
                      : "its missing members come before everything else when there is room");
    log_(text);
    Tell(board, gang.key, "GangPartial", std::move(text));
  }
}

void Reports::OnReserved(size_t nodes) {
  metrics_->Set(metric::kReserved, "", static_cast<double>(nodes));
}

bool Reports::IsToTell(const plan::UnitKey& key, std::string_view word, Time now) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = gangs_.find(key);
  if (found == gangs_.end()) return false;
  Gang& gang = found->second;
  if (now - *gang.waiting_since < kTellAfter) return false;
  if (gang.told_word == word && gang.told_at && now - *gang.told_at < kTellAgain) return false;
  gang.told_word = word;
  gang.told_at = now;
  return true;
}

// One group for which nothing is planned: its text is there already.
bool Reports::TellGroup(const Board& board, Time now) {
  for (const plan::GroupState& group : board.groups()) {
    if (!Waits(group) || !IsToTell(group.key, TextOf(group.cause), now)) continue;
    std::string text = fmt::format("gang {} waits: {}", TextOf(group.key), group.text);
    log_(text);
    Tell(board, group.key, "GangWaiting", std::move(text));
    return true;
  }
  return false;
}

void Reports::Explain(plan::Planner* planner,
                      const std::shared_ptr<const cluster::Snapshot>& snapshot,
                      std::span<const plan::Unit> units, const plan::PlanOptions& options,
                      const Board& board, Time now) {
  while (TellGroup(board, now)) {
  }
  TellResting(board, units.size(), now);
  for (size_t i = 0; i < units.size(); ++i) {
    const BoardUnit& unit = board.units()[i];
    if (!unit.gang || unit.fits) continue;
    if (next_explanation_ && now < *next_explanation_) return Look(*next_explanation_);
    if (!IsToTell(unit.key, unit.word, now)) continue;
    const auto began = std::chrono::steady_clock::now();
    const plan::Shortfall shortfall = planner->Explain(snapshot, units, i, options);
    next_explanation_ = now + kExplainShare * (std::chrono::steady_clock::now() - began);
    TellWhy(board, unit.key, shortfall.text, Kept(unit.key, options));
  }
}

// Gangs that rest are behind those that were planned; what the scheduler said of them is known.
void Reports::TellResting(const Board& board, size_t planned, Time now) {
  for (size_t i = planned; i < board.units().size(); ++i) {
    const BoardUnit& unit = board.units()[i];
    if (unit.gang && IsToTell(unit.key, unit.word, now)) TellWhy(board, unit.key, unit.word, "");
  }
}

void Reports::TellWhy(const Board& board, const plan::UnitKey& key, std::string_view why,
                      std::string_view kept) {
  std::string text;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Gang& gang = gangs_[key];
    gang.told_text = fmt::format("{}{}", why, gang.gave_up);
    text = fmt::format("gang {} waits: {}{}", TextOf(key), gang.told_text, kept);
  }
  log_(text);
  Tell(board, key, "GangWaiting", std::move(text));
}

std::string Reports::WhyWaits(const plan::UnitKey& key, std::string_view word) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = gangs_.find(key);
  const bool is_told = found != gangs_.end() && found->second.told_word == word;
  return is_told ? found->second.told_text : std::string();
}

bool Reports::HasNotFit(const plan::UnitKey& key, std::chrono::seconds time, Time now) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = gangs_.find(key);
  if (found == gangs_.end() || !found->second.unfit_since) return false;
  return now - *found->second.unfit_since >= time;
}

void Reports::OnActing(const absl::Status& acting) {
  if (acting == acting_) return;
  acting_ = acting;
  if (!acting.ok()) Forget();
  log_(acting.ok() ? "in charge: a scheduler of this host holds the Lease"
                   : std::string(acting.message()));
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
  if (status.ok() || absl::IsNotFound(status) || absl::IsAborted(status)) return;
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
  if (found == gangs_.end()) return;
  const auto waited = std::chrono::steady_clock::now() - *found->second.waiting_since;
  metrics_->Observe(metric::kAdmission, "", duration<double>(waited).count());
  if (!found->second.told_at) return;  // nobody was told that it waits
  log_(fmt::format("gang {} waits no longer: its members are bound", TextOf(gang)));
}

}  // namespace outrigger::gang
