#include "reports/status_writer.h"

#include <algorithm>

#include "fmt/format.h"
#include "gang/plan/group.h"
#include "outrigger/base/mutex.h"

namespace outrigger::gang {
namespace {

constexpr std::chrono::seconds kStatusTimeout{10};

bool HasStatus(const plan::GroupState& group) {
  return !group.key.uid.empty() && group.key.dialect != plan::Dialect::kLabels &&
         group.cause != plan::GroupCause::kLeftToScheduler;
}

std::map<plan::UnitKey, PhaseCounts> CountPhases(std::span<const plan::GroupState> groups,
                                                 std::span<const PodPtr> pods) {
  std::map<plan::UnitKey, PhaseCounts> counts;
  for (const PodPtr& pod : pods) {
    if (pod->being_deleted) continue;
    const auto membership = plan::MembershipOf(*pod, nullptr);
    const plan::GroupState* group = membership ? plan::FindGroup(groups, *membership) : nullptr;
    if (group == nullptr || !HasStatus(*group)) continue;
    PhaseCounts& count = counts[group->key];
    count.running += pod->phase == "Running" ? 1 : 0;
    count.succeeded += pod->phase == "Succeeded" ? 1 : 0;
    count.failed += pod->phase == "Failed" ? 1 : 0;
  }
  return counts;
}

std::string PhaseOf(const plan::GroupState& group, const PhaseCounts& counts,
                    const BoardUnit* unit) {
  const int64_t minimum = std::max<int64_t>(1, group.minimum);
  if (counts.succeeded >= minimum) return "Finished";
  if (counts.failed > 0 && group.existing + counts.succeeded < minimum) return "Failed";
  if (counts.running + counts.succeeded >= minimum) return "Running";
  if (group.bound + counts.succeeded >= minimum) return "Scheduled";
  return group.bound > 0 || (unit != nullptr && unit->fits) ? "Scheduling" : "Pending";
}

}  // namespace

PodGroupStatus StatusOf(const plan::GroupState& group, const PhaseCounts& counts,
                        const BoardUnit* unit, std::string_view why) {
  PodGroupStatus status;
  status.phase = PhaseOf(group, counts, unit);
  status.was_placed = group.admitted;
  status.scheduled = group.bound;
  status.running = counts.running;
  status.succeeded = counts.succeeded;
  status.failed = counts.failed;
  if (group.cause != plan::GroupCause::kNone) {
    status.reason = TextOf(group.cause);
    status.message = group.text;
  } else if (unit != nullptr && !unit->fits) {
    status.reason = unit->word;
    status.message = why;
  }
  return status;
}

StatusWriter::StatusWriter(ClusterWriter* cluster, Log log, StatusWriterOptions options)
    : cluster_(cluster), log_(std::move(log)), options_(std::move(options)) {}

StatusWriter::~StatusWriter() {
  Stop();
}

void StatusWriter::Start() {
  if (!options_.enabled) return;
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void StatusWriter::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void StatusWriter::OnPlan(const Board& board, std::span<const PodPtr> pods, const Why& why) {
  if (!options_.enabled) return;
  const Time now = options_.now();
  if (now < next_round_) {
    next_look_ = next_round_;
    return;
  }
  next_look_.reset();
  next_round_ = now + options_.every;
  const auto counts = CountPhases(board.groups(), pods);
  const MutexLock lock(mutex_);
  std::map<plan::UnitKey, PodGroupStatus> known;
  for (const plan::GroupState& group : board.groups()) {
    if (!HasStatus(group)) continue;
    const auto count = counts.find(group.key);
    PodGroupStatus status = StatusOf(group, count == counts.end() ? PhaseCounts() : count->second,
                                     board.FindUnit(group.key), why(group.key));
    const auto before = written_.find(group.key);
    status.was_placed |= before != written_.end() && before->second.was_placed;
    if (before == written_.end() || before->second != status) due_[group.key] = status;
    known.emplace(group.key, std::move(status));
  }
  written_ = std::move(known);
  if (!due_.empty()) wake_.notify_one();
}

void StatusWriter::Run(const std::stop_token& stop) {
  while (true) {
    MutexLock lock(mutex_);
    if (!wake_.wait(lock, stop,
                    [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !due_.empty(); }))
      return;
    const auto next = due_.extract(due_.begin());
    lock.unlock();
    Write(next.key(), next.mapped(), stop);
  }
}

void StatusWriter::Write(const plan::UnitKey& key, const PodGroupStatus& status,
                         const std::stop_token& stop) {
  auto permit = desk::AskToWrite(options_.may_write, {.timeout = kStatusTimeout, .stop = stop});
  if (!permit.ok()) return ForgetWritten(key, status);
  PodGroup group;
  group.dialect = key.dialect;
  group.namespace_ = key.namespace_;
  group.name = key.name;
  group.uid = key.uid;
  const absl::Status done = cluster_->WriteStatus(group, status, permit->limits);
  permit->under_way.reset();
  // Gone, or another one of that name: the next plan knows.
  if (done.ok() || absl::IsNotFound(done) || absl::IsAborted(done)) return;
  log_(fmt::format("the status of gang {} cannot be written: {}", TextOf(key),
                   std::string(done.message())));
  ForgetWritten(key, status);
}

// The next plan asks for it again.
void StatusWriter::ForgetWritten(const plan::UnitKey& key, const PodGroupStatus& status) {
  const MutexLock lock(mutex_);
  const auto of = written_.find(key);
  if (of != written_.end() && of->second == status) written_.erase(of);
}

}  // namespace outrigger::gang
