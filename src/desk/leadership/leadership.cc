#include "outrigger/desk/leadership.h"

#include <condition_variable>
#include <utility>

#include "fmt/format.h"

namespace outrigger::desk {
namespace {

constexpr std::chrono::milliseconds kAskTimeout{2000};

}  // namespace

absl::StatusOr<Leadership::Options> ReadLeaseName(const std::string& text) {
  Leadership::Options options;
  if (text == "none") return options;
  const size_t slash = text.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == text.size() ||
      text.find('/', slash + 1) != std::string::npos) {
    return absl::InvalidArgumentError(fmt::format(
        "scheduler-lease: \"{}\" is not accepted: NAMESPACE/NAME, or \"none\" for a scheduler "
        "without leader election",
        text));
  }
  options.lease_namespace = text.substr(0, slash);
  options.lease_name = text.substr(slash + 1);
  return options;
}

Leadership::Leadership(ClusterReader* cluster, Options options, std::function<void()> changed,
                       std::function<void(std::string_view line)> warn)
    : cluster_(cluster),
      options_(std::move(options)),
      changed_(std::move(changed)),
      warn_(std::move(warn)) {
  if (options_.lease_name.empty()) return;
  now_ = absl::UnavailableError(fmt::format("starting: the Lease {}/{} has not been read yet",
                                            options_.lease_namespace, options_.lease_name));
}

Leadership::~Leadership() {
  Stop();
}

void Leadership::Start() {
  if (options_.lease_name.empty()) return;
  thread_ = std::jthread([this](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock<std::mutex> lock(mutex);
    do {
      (void)Ask({.timeout = kAskTimeout, .stop = stop});
    } while (!never.wait_for(lock, stop, options_.every, [&] { return stop.stop_requested(); }));
  });
}

void Leadership::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

absl::Status Leadership::Judge(const absl::StatusOr<std::string>& holder) const {
  const std::string lease = options_.lease_namespace + "/" + options_.lease_name;
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

absl::Status Leadership::Ask(const CallLimits& limits) {
  if (options_.lease_name.empty()) return absl::OkStatus();
  const auto holder = cluster_->LeaseHolder(options_.lease_namespace, options_.lease_name, limits);
  WarnIfMissing(holder);
  Note(holder);
  return Judge(holder);
}

void Leadership::WarnIfMissing(const absl::StatusOr<std::string>& holder) {
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

void Leadership::Note(const absl::StatusOr<std::string>& holder) {
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

absl::Status Leadership::Now() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return now_;
}

bool Leadership::IsHeldByAnother() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return held_by_another_;
}

std::string Leadership::Epoch() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return epoch_;
}

}  // namespace outrigger::desk
