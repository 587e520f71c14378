#include "desk/leadership/scheduler_lease.h"

#include <condition_variable>
#include <utility>

#include "fmt/format.h"

namespace outrigger::desk {
namespace {

constexpr std::chrono::milliseconds kAskTimeout{2000};

}  // namespace

SchedulerLease::SchedulerLease(ClusterReader* cluster, Options options,
                               std::function<void()> changed,
                               std::function<void(std::string_view line)> warn)
    : cluster_(cluster),
      options_(std::move(options)),
      changed_(std::move(changed)),
      warn_(std::move(warn)) {
  if (options_.lease.name.empty()) return;
  now_ = absl::UnavailableError(
      fmt::format("starting: the Lease {} has not been read yet", options_.lease.Text()));
}

SchedulerLease::~SchedulerLease() {
  Stop();
}

absl::Status SchedulerLease::Start() {
  if (options_.lease.name.empty()) return absl::OkStatus();
  thread_ = std::jthread([this](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock<std::mutex> lock(mutex);
    do {
      (void)Ask({.timeout = kAskTimeout, .stop = stop});
    } while (!never.wait_for(lock, stop, options_.every, [&] { return stop.stop_requested(); }));
  });
  return absl::OkStatus();
}

void SchedulerLease::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

absl::Status SchedulerLease::Judge(const absl::StatusOr<std::string>& holder) const {
  const std::string lease = options_.lease.Text();
  if (absl::IsNotFound(holder.status())) {
    return absl::UnavailableError(fmt::format(
        "the Lease {} does not exist: for a scheduler without leader election (leaderElect: false) "
        "give the agent --gang.scheduler-lease none, else the namespace and name of its Lease",
        lease));
  }
  if (!holder.ok()) {
    return absl::UnavailableError(fmt::format("the Lease {} of the scheduler cannot be read: {}",
                                              lease, std::string(holder.status().message())));
  }
  if (holder->starts_with(options_.host_name + "_")) return absl::OkStatus();
  return absl::UnavailableError(
      fmt::format("not in charge: the Lease {} is held by {}, not by a scheduler of host {} "
                  "(--gang.scheduler-lease none for one without leader election)",
                  lease, holder->empty() ? "nobody" : *holder, options_.host_name));
}

absl::Status SchedulerLease::Ask(const CallLimits& limits) {
  if (options_.lease.name.empty()) return absl::OkStatus();
  const auto holder = cluster_->LeaseHolder(options_.lease.namespace_, options_.lease.name, limits);
  WarnIfMissing(holder);
  Note(holder);
  return Judge(holder);
}

void SchedulerLease::WarnIfMissing(const absl::StatusOr<std::string>& holder) {
  const bool missing = absl::IsNotFound(holder.status());
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!missing && !holder.ok()) return;  // what is not known changes nothing
    if (std::exchange(is_missing_, missing) || !missing) return;
  }
  if (!warn_) return;
  warn_(fmt::format("{}. Until then every pod of the scheduler fails",
                    std::string(Judge(holder).message())));
}

void SchedulerLease::Note(const absl::StatusOr<std::string>& holder) {
  bool changed = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    absl::Status now = Judge(holder);
    changed = now != now_ || (holder.ok() && *holder != epoch_);
    now_ = std::move(now);
    if (holder.ok()) epoch_ = *holder;
    held_by_another_ = holder.ok() && !holder->empty() && !now_.ok();
  }
  if (changed) changed_();
}

absl::Status SchedulerLease::Now() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return now_;
}

absl::StatusOr<WritePermit> SchedulerLease::MayWrite(const CallLimits& limits) {
  absl::Status now = Now();
  if (!now.ok()) return now;
  return WritePermit{.limits = limits};
}

bool SchedulerLease::IsHeldByAnother() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return held_by_another_;
}

std::string SchedulerLease::Epoch() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return epoch_;
}

}  // namespace outrigger::desk
