#include "load/annotate/annotator.h"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "outrigger/k8s/node.h"

namespace outrigger::annotate {
namespace {

// Binds come in bursts: a node is patched once for all of them.
constexpr std::chrono::milliseconds kLeastPause{100};
// After a round that failed, unless the interval is shorter.
constexpr std::chrono::seconds kRetryPause{5};
// At least this part of the interval passes after a round.
constexpr int kRestShare = 10;
constexpr int kTriesOfOnce = 3;
// Values that fail for fewer rounds are no trouble yet.
constexpr int kLastingRounds = 3;

using Seconds = std::chrono::duration<double>;

// A machine that took the name of another one meanwhile: the values are not its own.
bool IsAnother(const Node& node, const Node& asked) {
  return node.addresses != asked.addresses || node.allocatable != asked.allocatable;
}

PatcherOptions WithClock(const AnnotatorOptions& options) {
  PatcherOptions patcher = options.patcher;
  patcher.clock = options.clock;
  patcher.warn = options.warn;
  return patcher;
}

}  // namespace

Annotator::Term::Term(const ValueSource& source, NodeWriter* writer, Counters* counters,
                      const AnnotatorOptions& options)
    : forgetting(source.Keys(), options.forget),
      patcher(writer, &written, counters, WithClock(options)) {}

Annotator::Annotator(ClusterReader* cluster, ValueSource* source, NodeWriter* writer,
                     Counters* counters, AnnotatorOptions options)
    : cluster_(*cluster),
      source_(*source),
      writer_(*writer),
      counters_(*counters),
      options_(std::move(options)) {}

void Annotator::Wake(bool all) {
  {
    const MutexLock lock(mutex_);
    changed_ = true;
    all_ = all_ || all;
  }
  woken_.notify_all();
}

std::optional<Scope> Annotator::Await(Clock::TimePoint next_all, const std::stop_token& stop) {
  MutexLock lock(mutex_);
  const Clock::Duration wait = next_all - options_.clock.now();
  const bool woken =
      woken_.wait_for(lock, stop, std::max(wait, Clock::Duration(0)),
                      [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return changed_; });
  if (stop.stop_requested()) return std::nullopt;
  changed_ = false;
  const bool all = std::exchange(all_, false) || !woken;
  return all ? Scope::kAll : Scope::kChanged;
}

std::shared_ptr<Annotator::Term> Annotator::CurrentTerm() const {
  const MutexLock lock(mutex_);
  return term_;
}

void Annotator::Run(const std::stop_token& stop) {
  Subscription subscription;
  if (source_.FollowsCluster()) subscription = cluster_.OnChange([this] { Wake(false); });
  Clock::TimePoint next_all = options_.clock.now();
  while (true) {
    const Clock::TimePoint now = options_.clock.now();
    const auto scope = now >= next_all ? std::optional(Scope::kAll) : Await(next_all, stop);
    if (!scope || stop.stop_requested()) return;
    // A process that only waits for the Lease leaves the source alone, if it can.
    const bool is_idle = CurrentTerm() == nullptr && !source_.NeedsHistory();
    if (is_idle) {
      NoteTrouble(absl::OkStatus());
      NoteFailures("");
    }
    const absl::Status status = is_idle ? absl::OkStatus() : Round(*scope, stop);
    if (!status.ok()) {
      next_all = options_.clock.now() + std::min<Clock::Duration>(options_.interval, kRetryPause);
    } else if (*scope == Scope::kAll) {
      // A source that takes longer than the interval gets a rest, too.
      next_all = std::max(now + Clock::Duration(options_.interval),
                          options_.clock.now() + Clock::Duration(options_.interval) / kRestShare);
    }
    if (!options_.clock.sleep(kLeastPause, stop)) return;
  }
}

void Annotator::Lead(const std::stop_token& term) {
  const auto leading = std::make_shared<Term>(source_, &writer_, &counters_, options_);
  {
    const MutexLock lock(mutex_);
    term_ = leading;
  }
  counters_.Leads(true);
  Wake(true);
  leading->patcher.Run(term);
  {
    const MutexLock lock(mutex_);
    term_ = nullptr;
  }
  counters_.Leads(false);
  counters_.Pending(0);
}

absl::Status Annotator::Round(Scope scope, const std::stop_token& stop) {
  const Clock::TimePoint began = options_.clock.now();
  const absl::StatusOr<ClusterView> view = cluster_.Take();
  if (!view.ok()) {
    NoteTrouble(view.status());
    return view.status();
  }
  const auto values = source_.Compute(view->snapshot, scope, stop);
  const Clock::TimePoint computed = options_.clock.now();
  if (!values.ok()) {
    if (!stop.stop_requested()) NoteTrouble(values.status());
    return values.status();
  }
  // The source may have taken a minute.
  const absl::StatusOr<ClusterView> now = cluster_.Take();
  NoteTrouble(now.status());
  if (!now.ok()) return now.status();
  Count(*values, scope);
  if (const auto term = CurrentTerm()) {
    Apply({*view->snapshot, *now->snapshot}, *values, scope, term.get());
  }
  const Clock::TimePoint ended = options_.clock.now();
  counters_.Round(Seconds(ended - began).count(), Seconds(ended - computed).count());
  return absl::OkStatus();
}

void Annotator::Apply(const Snapshots& snapshots, const std::vector<NodeValues>& values,
                      Scope scope, Term* term) {
  const ClusterSnapshot& snapshot = snapshots.now;
  const Clock::TimePoint now = options_.clock.now();
  for (const NodeValues& wanted : values) {
    const auto node = snapshot.FindNode(wanted.node);
    const auto asked = snapshots.asked.FindNode(wanted.node);
    if (!node || !asked || IsAnother(node->node(), asked->node())) continue;
    const Annotations shown = term->written.Shown(node->node(), source_.Keys());
    const std::vector<std::string> overdue = term->forgetting.Due(wanted, shown, now);
    term->patcher.Set(wanted.node, Difference(wanted, shown, overdue, options_.diff));
  }
  if (scope != Scope::kAll) return;
  const auto is_there = [&](std::string_view node) { return snapshot.FindNode(node).has_value(); };
  term->forgetting.Retain(is_there);
  term->written.Retain(is_there);
  term->patcher.Retain(is_there);
}

void Annotator::Count(const std::vector<NodeValues>& values, Scope scope) {
  if (scope != Scope::kAll) return;
  size_t without = 0;
  size_t failed = 0;
  const MissingValue* first = nullptr;
  for (const NodeValues& node : values) {
    bool is_complete = true;
    for (const MissingValue& missing : node.missing) {
      if (missing.lack == Lack::kOff) continue;
      is_complete = false;
      counters_.Missing(node.node, missing.cause);
      if (missing.lack != Lack::kFailed) continue;
      ++failed;
      if (first == nullptr) first = &missing;
    }
    if (!is_complete) ++without;
  }
  counters_.Nodes(values.size(), without);
  NoteFailures(failed == 0
                   ? ""
                   : fmt::format("{} values failed in each of {} rounds, the first is {}: {}",
                                 failed, kLastingRounds, first->annotation, first->detail));
}

void Annotator::NoteFailures(std::string failures) {
  const MutexLock lock(mutex_);
  failing_rounds_ = failures.empty() ? 0 : failing_rounds_ + 1;
  failures_ = std::move(failures);
}

// What is the same as before is not warned about again.
void Annotator::NoteTrouble(const absl::Status& status) {
  const std::string now(status.message());
  if (!status.ok()) counters_.FailedRound();
  {
    const MutexLock lock(mutex_);
    if (trouble_ == now) return;
    trouble_ = now;
  }
  if (options_.warn && !status.ok()) options_.warn(now);
}

std::string Annotator::Trouble() const {
  std::shared_ptr<Term> term;
  {
    const MutexLock lock(mutex_);
    if (!trouble_.empty()) return trouble_;
    if (failing_rounds_ >= kLastingRounds) return failures_;
    term = term_;
  }
  return term == nullptr ? "" : term->patcher.Forbidden();
}

absl::Status Annotator::Once(const std::stop_token& stop) {
  AnnotatorOptions options = options_;
  options.patcher.most_tries = kTriesOfOnce;
  const auto term = std::make_shared<Term>(source_, &writer_, &counters_, options);
  {
    const MutexLock lock(mutex_);
    term_ = term;
  }
  absl::Status status = Round(Scope::kAll, stop);
  if (status.ok()) {
    const std::jthread writing([&](const std::stop_token& end) { term->patcher.Run(end); });
    status = term->patcher.AwaitIdle(stop);
  }
  {
    const MutexLock lock(mutex_);
    term_ = nullptr;
  }
  if (!status.ok()) return status;
  if (stop.stop_requested()) return absl::CancelledError("stopped before all nodes were patched");
  if (term->patcher.GivenUp() == 0) return absl::OkStatus();
  return absl::UnavailableError(
      fmt::format("{} nodes could not be patched", term->patcher.GivenUp()));
}

}  // namespace outrigger::annotate
