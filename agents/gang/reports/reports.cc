#include "reports/reports.h"

#include <algorithm>
#include <utility>

#include "common/desk_names.h"
#include "events/gang_event.h"
#include "fmt/chrono.h"
#include "fmt/format.h"
#include "gang/plan/group.h"
#include "outrigger/base/mutex.h"
#include "reports/gang_metrics.h"

namespace outrigger::gang {
namespace {

using std::chrono::duration;

std::string_view WhatIsDone(plan::OnMemberLoss policy) {
  switch (policy) {
    case plan::OnMemberLoss::kIgnore:
      return "it keeps running, since it ignores lost members";
    case plan::OnMemberLoss::kRestart:
      return "the remaining members are evicted, so that it starts again";
    case plan::OnMemberLoss::kReplace:
      break;
  }
  return "its missing members are first in its priority when there is room";
}

// The same again at most so often.
constexpr std::chrono::minutes kTellAgain{5};
// Of so many at most it is told at once, and of the next after a rest: pods of a tenant may name
// thousands of groups, and Events are written no faster.
constexpr size_t kTellAtOnce = 50;
constexpr std::chrono::seconds kTellRest{1};
// Explanations take a tenth of a core at most.
constexpr int kExplainShare = 10;

// What is done for a gang that waits.
std::string_view Kept(const plan::UnitKey& gang, const plan::PlanOptions& options) {
  if (options.promise && options.promise->unit == gang) {
    return "; others are evicted to make room for it";
  }
  const bool kept = options.reserve_for == gang && !options.kept.empty();
  return kept ? "; nodes are reserved for it" : "";
}

}  // namespace

void Explainer::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void Explainer::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

bool Explainer::IsIdle() const {
  const MutexLock lock(mutex_);
  return !job_ && !is_working_ && !explained_;
}

void Explainer::Begin(Job job) {
  if (!thread_.joinable()) {
    Explained explained = Work(job, {});
    const MutexLock lock(mutex_);
    explained_ = std::move(explained);
    return;
  }
  {
    const MutexLock lock(mutex_);
    job_ = std::move(job);
  }
  wake_.notify_one();
}

std::optional<Explainer::Explained> Explainer::Take() {
  const MutexLock lock(mutex_);
  return std::exchange(explained_, std::nullopt);
}

void Explainer::Run(const std::stop_token& stop) {
  while (true) {
    Job job;
    {
      MutexLock lock(mutex_);
      if (!wake_.wait(lock, stop,
                      [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return job_.has_value(); }))
        return;
      job = *std::exchange(job_, std::nullopt);
      is_working_ = true;
    }
    Explained explained = Work(job, stop);
    {
      const MutexLock lock(mutex_);
      is_working_ = false;
      explained_ = std::move(explained);
    }
    if (changed_ && !stop.stop_requested()) changed_();
  }
}

Explainer::Explained Explainer::Work(const Job& job, const std::stop_token& stop) {
  const auto began = std::chrono::steady_clock::now();
  plan::Shortfall shortfall =
      planner_.Explain(job.snapshot, job.units, job.index, job.options, stop);
  return {.gang = job.units[job.index].key,
          .word = job.word,
          .kept = job.kept,
          .text = std::move(shortfall.text),
          .took = std::chrono::steady_clock::now() - began};
}

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
  const MutexLock lock(mutex_);
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
    found->second.gave_up = fmt::format("; it gave up its nodes after {}", gang.after);
  }
}

void Reports::TellTimedOut(const Board& board, const std::vector<TimedOut>& timed_out) {
  FirstPods pods(board);
  for (const TimedOut& gang : timed_out) {
    metrics_->Add(metric::kTimeouts, "", 1);
    std::string text = fmt::format(
        "gang {} is still incomplete {} after it got nodes. They are released; it now queues last "
        "in its priority",
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
    const MutexLock lock(mutex_);
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
  const MutexLock lock(mutex_);
  const auto found = gangs_.find(gang);
  if (found != gangs_.end()) Admit(gang, found->second, now_());
}

void Reports::OnBoundOneByOne(const Board& board, Time now) {
  const MutexLock lock(mutex_);
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
  log_(fmt::format("gang {} no longer waits: its members are bound", TextOf(key)));
}

std::optional<Time> Reports::DueSince(const plan::UnitKey& key, std::string_view word) const {
  const MutexLock lock(mutex_);
  const auto found = gangs_.find(key);
  if (found == gangs_.end()) return std::nullopt;
  const Gang& gang = found->second;
  if (!gang.told_at) return *gang.waiting_since + kTellAfter;
  return gang.told_word == word ? *gang.told_at + kTellAgain : *gang.told_at;
}

bool Reports::IsToTell(const plan::UnitKey& key, std::string_view word, Time now) const {
  const std::optional<Time> due = DueSince(key, word);
  return due && *due <= now;
}

// What is known without a search: why nothing is planned for a group, and what the scheduler said
// of gangs that rest, which are behind those that were planned.
std::vector<Reports::Known> Reports::KnownToTell(const Board& board, size_t planned,
                                                 Time now) const {
  std::vector<Known> known;
  const auto add = [&](const plan::UnitKey& key, std::string_view word, std::string_view text) {
    const std::optional<Time> due = DueSince(key, word);
    if (due && *due <= now) known.push_back({*due, &key, word, text});
  };
  for (const plan::GroupState& group : board.groups()) {
    if (Waits(group)) add(group.key, TextOf(group.cause), group.text);
  }
  for (size_t i = planned; i < board.units().size(); ++i) {
    const BoardUnit& unit = board.units()[i];
    if (unit.gang) add(unit.key, unit.word, unit.word);
  }
  return known;
}

void Reports::TellKnown(const Board& board, size_t planned, Time now, FirstPods* pods) {
  if (next_telling_ && now < *next_telling_) return next_look_.Add(*next_telling_);
  std::vector<Known> known = KnownToTell(board, planned, now);
  if (known.size() > kTellAtOnce) {
    // In the order in which they became due: nobody's groups keep others from being told of.
    std::stable_sort(known.begin(), known.end(),
                     [](const Known& a, const Known& b) { return a.due < b.due; });
    known.resize(kTellAtOnce);
    next_telling_ = now + kTellRest;
    next_look_.Add(*next_telling_);
  }
  for (const Known& gang : known) TellWhy(pods, *gang.key, {gang.word, gang.text, ""}, now);
}

void Reports::TakeExplained(Explainer* explainer, const Board& board, FirstPods* pods, Time now) {
  const std::optional<Explainer::Explained> explained = explainer->Take();
  if (!explained) return;
  next_explanation_ = now + kExplainShare * explained->took;
  const BoardUnit* const unit = board.FindUnit(explained->gang);
  // What it lacked when that began: by now it may have its places.
  if (unit == nullptr || unit->fits || unit->word != explained->word) return;
  TellWhy(pods, explained->gang, {explained->word, explained->text, explained->kept}, now);
}

void Reports::Explain(Explainer* explainer, const std::shared_ptr<const ClusterSnapshot>& snapshot,
                      std::span<const plan::Unit> units, const plan::PlanOptions& options,
                      const Board& board, Time now,
                      const std::function<std::string(const plan::UnitKey&)>& why_nobody) {
  FirstPods pods(board);
  TellKnown(board, units.size(), now, &pods);
  TakeExplained(explainer, board, &pods, now);
  for (size_t i = 0; i < units.size(); ++i) {
    const BoardUnit& unit = board.units()[i];
    if (!unit.gang || unit.fits) continue;
    if (next_explanation_ && now < *next_explanation_) return next_look_.Add(*next_explanation_);
    if (!IsToTell(unit.key, unit.word, now)) continue;
    if (!explainer->IsIdle()) return;  // when it is done there is another plan
    const std::string nobody = why_nobody ? why_nobody(unit.key) : std::string();
    explainer->Begin({.snapshot = snapshot,
                      .units = {units.begin(), units.end()},
                      .index = i,
                      .options = options,
                      .word = unit.word,
                      .kept = fmt::format("{}{}{}", Kept(unit.key, options),
                                          nobody.empty() ? "" : "; ", nobody)});
    TakeExplained(explainer, board, &pods, now);
  }
}

void Reports::TellWhy(FirstPods* pods, const plan::UnitKey& key, const Why& why, Time now) {
  std::string text;
  bool is_news = false;  // the log keeps what it was told once; Events expire
  {
    const MutexLock lock(mutex_);
    Gang& gang = gangs_[key];
    gang.told_word = why.word;
    gang.told_at = now;
    gang.told_text = fmt::format("{}{}", why.text, gang.gave_up);
    text = fmt::format("gang {} waits: {}{}", TextOf(key), gang.told_text, why.kept);
    is_news = gang.logged != text;
    if (is_news) gang.logged = text;
  }
  if (is_news) log_(text);
  Tell(pods, key, "GangWaiting", std::move(text));
}

std::string Reports::WhyWaits(const plan::UnitKey& key, std::string_view word) const {
  const MutexLock lock(mutex_);
  const auto found = gangs_.find(key);
  const bool is_told = found != gangs_.end() && found->second.told_word == word;
  return is_told ? found->second.told_text : std::string();
}

}  // namespace outrigger::gang
