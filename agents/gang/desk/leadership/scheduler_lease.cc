#include "gang/desk/leadership/scheduler_lease.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "fmt/format.h"
#include "outrigger/base/clock.h"

namespace outrigger::desk {
namespace {

// Three reads that take as long see a renewal before the one before it has run out.
constexpr std::chrono::milliseconds kAskTimeout{3000};

}  // namespace

absl::StatusOr<LeaseName> ReadLeaseName(std::string_view setting, const std::string& text,
                                        std::string_view accepted) {
  const size_t slash = text.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == text.size() ||
      text.find('/', slash + 1) != std::string::npos) {
    return absl::InvalidArgumentError(
        fmt::format("{}: \"{}\" is not accepted; expected {}", setting, text, accepted));
  }
  return LeaseName{.namespace_ = text.substr(0, slash), .name = text.substr(slash + 1)};
}

SchedulerLease::SchedulerLease(ClusterReader* cluster, Options options,
                               std::function<void()> changed,
                               std::function<void(std::string_view line)> warn)
    : cluster_(cluster),
      options_(std::move(options)),
      changed_(std::move(changed)),
      warn_(std::move(warn)) {
  told_ = NowLocked();
}

SchedulerLease::~SchedulerLease() {
  Stop();
}

absl::Status SchedulerLease::Start() {
  if (options_.lease.name.empty()) return absl::OkStatus();
  thread_ = std::jthread([this](const std::stop_token& stop) {
    bool goes_on = true;
    while (goes_on) {
      const auto next = std::chrono::steady_clock::now() + options_.every;
      (void)Ask({.timeout = kAskTimeout, .stop = stop});
      goes_on = SleepFor(next - std::chrono::steady_clock::now(), stop);
    }
  });
  return absl::OkStatus();
}

void SchedulerLease::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

absl::Status SchedulerLease::Ask(const CallLimits& limits) {
  if (options_.lease.name.empty()) return absl::OkStatus();
  const Time began = options_.now();
  const auto read = cluster_->ReadLease(options_.lease.namespace_, options_.lease.name, limits);
  WarnIfMissing(read.status());
  Note(read, began);
  return Now();
}

std::string SchedulerLease::Missing() const {
  return fmt::format(
      "the Lease {} does not exist: set --gang.scheduler-lease to the namespace and name of the "
      "scheduler's Lease, or to none for a scheduler without leader election (leaderElect: false)",
      options_.lease.Text());
}

void SchedulerLease::WarnIfMissing(const absl::Status& read) {
  const bool missing = absl::IsNotFound(read);
  {
    const MutexLock lock(mutex_);
    if (!missing && !read.ok()) return;  // what is not known changes nothing
    if (std::exchange(is_missing_, missing) || !missing) return;
  }
  if (warn_)
    warn_(fmt::format("{}. Until then scheduling fails for every pod of the scheduler", Missing()));
}

// Of reads that overlap the one counts that was begun last.
void SchedulerLease::Note(const absl::StatusOr<LeaseRecord>& read, Time began) {
  bool changed = false;
  {
    const MutexLock lock(mutex_);
    if (record_ && began < read_at_) return;
    failed_ = read.status();
    if (absl::IsNotFound(failed_)) record_.reset();
    if (read.ok()) NoteGood(*read, began);
    absl::Status now = NowLocked();
    changed = now != told_ || (read.ok() && read->holder != epoch_);
    told_ = std::move(now);
    if (read.ok()) epoch_ = read->holder;
  }
  if (changed) changed_();
}

// The renewal came after the read that has not seen it.
void SchedulerLease::NoteGood(const LeaseRecord& read, Time began) {
  const bool renewed =
      record_ && (read.renewed != record_->renewed || read.holder != record_->holder);
  if (renewed || !record_) until_ = (renewed ? read_at_ : began) + read.duration * 2 / 3;
  record_ = read;
  read_at_ = began;
}

bool SchedulerLease::IsMine(const std::string& holder) const {
  return holder.starts_with(options_.host_name + "_");
}

absl::Status SchedulerLease::NowLocked() const {
  if (options_.lease.name.empty()) return absl::OkStatus();
  const std::string lease = options_.lease.Text();
  const bool has_run_out = !record_ || options_.now() >= until_;
  if (record_ && !IsMine(record_->holder)) {
    return absl::UnavailableError(fmt::format(
        "not in charge: the Lease {} is held by {}, not by a scheduler of host {} "
        "(--gang.scheduler-lease none for one without leader election)",
        lease, record_->holder.empty() ? "nobody" : record_->holder, options_.host_name));
  }
  if (!has_run_out) return absl::OkStatus();
  if (absl::IsNotFound(failed_)) return absl::UnavailableError(Missing());
  if (!failed_.ok()) {
    return absl::UnavailableError(fmt::format("the Lease {} of the scheduler cannot be read: {}",
                                              lease, std::string(failed_.message())));
  }
  if (!record_) {
    return absl::UnavailableError(
        fmt::format("starting: the Lease {} has not been read yet", lease));
  }
  return absl::UnavailableError(
      fmt::format("not in charge: the Lease {} was not renewed in time", lease));
}

absl::Status SchedulerLease::Now() const {
  const MutexLock lock(mutex_);
  return NowLocked();
}

absl::StatusOr<WritePermit> SchedulerLease::MayWrite(const CallLimits& limits) {
  const MutexLock lock(mutex_);
  absl::Status now = NowLocked();
  if (!now.ok()) return now;
  if (!record_) return WritePermit{.limits = limits};
  // Then another one may have the Lease.
  const auto left = std::chrono::floor<std::chrono::milliseconds>(until_ + record_->duration / 3 -
                                                                  options_.now());
  return WritePermit{.limits = {.timeout = std::min(limits.timeout, left), .stop = limits.stop}};
}

bool SchedulerLease::IsHeldByAnother() const {
  const MutexLock lock(mutex_);
  return record_ && !record_->holder.empty() && !IsMine(record_->holder);
}

std::string SchedulerLease::Epoch() const {
  const MutexLock lock(mutex_);
  return epoch_;
}

}  // namespace outrigger::desk
