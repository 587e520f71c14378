#include "reports.h"

#include <algorithm>
#include <utility>

#include "fmt/chrono.h"
#include "fmt/format.h"
#include "outrigger/plan/group.h"
#include "reasons.h"

namespace outrigger::gang {
namespace {

using std::chrono::duration;

constexpr std::string_view kWaitingGangs = "outrigger_gang_waiting";
constexpr std::string_view kAdmission = "outrigger_gang_admission_seconds";
constexpr std::string_view kWaiters = "outrigger_gang_waiters";
constexpr std::string_view kPartial = "outrigger_gang_partial";
constexpr std::string_view kReserved = "outrigger_gang_reserved_nodes";
constexpr std::string_view kBarriers = "outrigger_gang_barriers_total";
constexpr std::string_view kHeld = "outrigger_gang_held_seconds";
constexpr std::string_view kNominations = "outrigger_gang_nominations_total";
constexpr std::string_view kTimeouts = "outrigger_gang_timeouts_total";

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

MetricSpec Spec(MetricSpec::Kind kind, std::string_view name, std::string_view help,
                std::string_view label = "", std::vector<double> buckets = {}) {
  return {kind, std::string(name), std::string(help), std::string(label), std::move(buckets)};
}

std::string_view KindOf(plan::Dialect dialect) {
  return dialect == plan::Dialect::kLabels ? "Pod" : "PodGroup";
}

std::string_view ApiVersionOf(plan::Dialect dialect) {
  switch (dialect) {
    case plan::Dialect::kSchedulerPlugins:
      return "scheduling.x-k8s.io/v1alpha1";
    case plan::Dialect::kSigs:
      return "scheduling.sigs.k8s.io/v1alpha1";
    case plan::Dialect::kVolcano:
      return "scheduling.volcano.sh/v1beta1";
    case plan::Dialect::kUpstream:
      return "scheduling.k8s.io/v1alpha2";
    default:
      return "v1";
  }
}

}  // namespace

std::vector<MetricSpec> GangMetrics() {
  using Kind = MetricSpec::Kind;
  const std::vector<double> seconds = {0.01, 0.1, 0.5, 1, 5, 15, 60, 300, 1800};
  return {
      Spec(Kind::kGauge, kWaitingGangs, "Gangs that wait for a place, by what they lack.", "cause"),
      Spec(Kind::kHistogram, kAdmission,
           "Time from when a gang was first seen to wait until its first member was bound.", "",
           seconds),
      Spec(Kind::kGauge, kWaiters, "Members whose bind calls wait at a barrier, at the last plan."),
      Spec(Kind::kGauge, kPartial, "Gangs that are bound in part, below their minimum."),
      Spec(Kind::kGauge, kReserved, "Nodes that are kept free for the first gang that waits."),
      Spec(Kind::kCounter, kBarriers, "Barriers that have ended, by how.", "end"),
      Spec(Kind::kHistogram, kHeld, "Time for which members waited at a barrier, by how it ended.",
           "end", seconds),
      Spec(Kind::kCounter, kNominations,
           "Writes of status.nominatedNodeName: written, withdrawn, failed.", "result"),
      Spec(Kind::kCounter, kTimeouts, "Gangs that gave up their places, being incomplete."),
  };
}

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
    metrics_->Set(kWaitingGangs, cause, static_cast<double>(count));
  }
  waiting_ = std::move(waiting);
}

void Reports::Tell(const Board& board, const plan::UnitKey& key, std::string reason,
                   std::string note) {
  ClusterEvent event;
  event.api_version = ApiVersionOf(key.dialect);
  event.kind = KindOf(key.dialect);
  event.namespace_ = key.namespace_;
  event.name = key.name;
  event.uid = key.uid;
  event.warning = true;
  event.reason = std::move(reason);
  event.action = "Scheduling";
  event.note = std::move(note);
  if (key.dialect == plan::Dialect::kLabels) {
    // Without an object of its own the gang speaks through its first member.
    const Pod* first = nullptr;
    for (const auto& [uid, seat] : board.pods()) {
      const auto membership = plan::MembershipOf(*seat.pod, nullptr);
      if (!membership || membership->dialect != key.dialect || membership->name != key.name ||
          membership->namespace_ != key.namespace_) {
        continue;
      }
      if (first == nullptr || seat.pod->name < first->name) first = seat.pod.get();
    }
    for (const BoundMember& member : board.BoundOf(key)) {
      if (first == nullptr || member.pod->name < first->name) first = member.pod.get();
    }
    if (first == nullptr) return;
    event.name = first->name;
    event.uid = first->uid;
  }
  cluster_->Record(std::move(event));
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

void Reports::OnPlan(const Board& board, size_t waiters, const std::vector<plan::Note>& notes,
                     const std::vector<Memory::TimedOut>& timed_out, Time now) {
  next_look_.reset();
  CountWaiting(board);
  metrics_->Set(kWaiters, "", static_cast<double>(waiters));
  for (const plan::Note& note : notes) log_(fmt::format("{}: {}", note.about, note.text));
  for (const Memory::TimedOut& gang : timed_out) {
    metrics_->Add(kTimeouts, "", 1);
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
    if (unit.fits) gang.told_word = gang.told_text = "";
  }
  for (const plan::GroupState& group : board.groups()) {
    if (Waits(group)) See(group.key, now);
  }
  std::erase_if(gangs_, [](const auto& entry) { return !entry.second.seen; });
}

void Reports::OnPartial(const Board& board, const std::vector<Recovery::Partial>& partial,
                        size_t count) {
  metrics_->Set(kPartial, "", static_cast<double>(count));
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
  metrics_->Set(kReserved, "", static_cast<double>(nodes));
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
  for (size_t i = 0; i < units.size(); ++i) {
    const BoardUnit& unit = board.units()[i];
    if (!unit.gang || unit.fits) continue;
    if (next_explanation_ && now < *next_explanation_) return Look(*next_explanation_);
    if (!IsToTell(unit.key, unit.word, now)) continue;
    const auto began = std::chrono::steady_clock::now();
    const plan::Shortfall shortfall = planner->Explain(snapshot, units, i, options);
    Keep(unit.key, shortfall.text);
    next_explanation_ = now + kExplainShare * (std::chrono::steady_clock::now() - began);
    const bool kept = options.reserve_for == unit.key && !options.reserved.empty();
    std::string text = fmt::format("gang {} waits: {}{}", TextOf(unit.key), shortfall.text,
                                   kept ? "; nodes are kept free for it" : "");
    log_(text);
    Tell(board, unit.key, "GangWaiting", std::move(text));
  }
}

void Reports::Keep(const plan::UnitKey& key, const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = gangs_.find(key);
  if (found != gangs_.end()) found->second.told_text = text;
}

std::string Reports::WhyWaits(const plan::UnitKey& key) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = gangs_.find(key);
  return found == gangs_.end() ? std::string() : found->second.told_text;
}

bool Reports::HasWaited(const plan::UnitKey& key, std::chrono::seconds time) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = gangs_.find(key);
  return found != gangs_.end() &&
         std::chrono::steady_clock::now() - *found->second.waiting_since >= time;
}

void Reports::OnNomination(const Nomination& nomination, const absl::Status& status) {
  const bool withdrawn = nomination.node.empty();
  metrics_->Add(kNominations, !status.ok() ? "failed" : withdrawn ? "withdrawn" : "written", 1);
  // Gone, or changed meanwhile: the next plan knows.
  if (status.ok() || absl::IsNotFound(status) || absl::IsAborted(status)) return;
  log_(fmt::format("pod {}/{} cannot be nominated: {}", nomination.pod->namespace_,
                   nomination.pod->name, std::string(status.message())));
}

void Reports::OnBarrier(const plan::UnitKey& gang, BarrierEnd end, std::chrono::milliseconds held) {
  metrics_->Add(kBarriers, TextOf(end), 1);
  metrics_->Observe(kHeld, TextOf(end), duration<double>(held).count());
  if (end != BarrierEnd::kOpened) {
    return log_(
        fmt::format("gang {}: nothing is bound after {}: {}", TextOf(gang), held, TextOf(end)));
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = gangs_.find(gang);
  if (found == gangs_.end()) return;
  const auto waited = std::chrono::steady_clock::now() - *found->second.waiting_since;
  metrics_->Observe(kAdmission, "", duration<double>(waited).count());
}

}  // namespace outrigger::gang
