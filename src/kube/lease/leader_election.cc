#include "kube/lease/leader_election.h"

#include <unistd.h>
#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include "fmt/format.h"
#include "kube/errors.h"

namespace outrigger::kube {
namespace {

using std::chrono::milliseconds;

milliseconds Until(Clock::TimePoint deadline, Clock::TimePoint now) {
  return std::max(milliseconds{1}, std::chrono::duration_cast<milliseconds>(deadline - now));
}

}  // namespace

absl::StatusOr<std::unique_ptr<LeaderElection>> LeaderElection::Start(Api* api,
                                                                      LeaseOptions options,
                                                                      LeaderCallbacks callbacks,
                                                                      Clock clock, Random random) {
  absl::Status status = CheckLeaseOptions(options);
  if (!status.ok()) return status;
  if (!callbacks.lead) return absl::InvalidArgumentError("an election without anything to lead");
  std::unique_ptr<LeaderElection> election(new LeaderElection(
      api, std::move(options), std::move(callbacks), std::move(clock), std::move(random)));
  LeaderElection* const that = election.get();
  that->thread_ = std::jthread([that](const std::stop_token& stop) { that->Run(stop); });
  return election;
}

LeaderElection::LeaderElection(Api* api, LeaseOptions options, LeaderCallbacks callbacks,
                               Clock clock, Random random)
    : options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      clock_(std::move(clock)),
      random_(std::move(random)),
      lock_(api, options_, clock_) {}

LeaderElection::~LeaderElection() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

Clock::Duration LeaderElection::TimeLeft() const {
  const Clock::TimePoint now = clock_.now();
  const MutexLock lock(mutex_);
  if (!leading_) return Clock::Duration::zero();
  return std::max(Clock::Duration::zero(), renewed_ + options_.renew_deadline - now);
}

std::string LeaderElection::Leader() const {
  const MutexLock lock(mutex_);
  return leader_;
}

void LeaderElection::Warn(const std::string& line) const {
  if (callbacks_.warn) {
    callbacks_.warn(fmt::format("lease {}/{}: {}", options_.namespace_, options_.name, line));
  }
}

void LeaderElection::Note(bool leading) {
  bool changed = false;
  {
    const MutexLock lock(mutex_);
    leading_ = leading;
    changed = leader_ != lock_.holder();
    leader_ = lock_.holder();
  }
  if (changed && callbacks_.on_new_leader) callbacks_.on_new_leader(lock_.holder());
}

void LeaderElection::Run(const std::stop_token& stop) {
  while (Acquire(stop)) Lead(stop);
  // Also one that was won too late to lead, or without an answer.
  GiveBack();
  Note(false);
}

void LeaderElection::GiveBack() {
  const absl::Status released = lock_.Release(options_.renew_deadline);
  if (!released.ok()) {
    Warn(fmt::format("could not be released, others wait until it expires: {}",
                     MessageOf(released)));
  }
}

/// Waits for the lease; false once stop is requested.
bool LeaderElection::Acquire(const std::stop_token& stop) {
  std::string failing;
  while (!stop.stop_requested()) {
    const Clock::TimePoint asked = clock_.now();
    const auto got = lock_.TryAcquireOrRenew(options_.renew_deadline, stop);
    if (got.ok()) {
      failing.clear();
      Renewed(asked);
      const bool ours = *got && clock_.now() < Deadline();
      Note(ours);
      if (ours) return true;
    } else if (!stop.stop_requested() && failing != MessageOf(got.status())) {
      failing = MessageOf(got.status());
      Warn(fmt::format("cannot be acquired, trying again: {}", failing));
    }
    // So that those who wait do not ask all at once.
    clock_.sleep(std::chrono::duration_cast<Clock::Duration>(options_.retry_period *
                                                             (1.0 + 1.2 * random_())),
                 stop);
  }
  return false;
}

/// One term: leads on a thread of its own while the lease is renewed on this one.
void LeaderElection::Lead(const std::stop_token& stop) {
  {
    std::jthread term([this](const std::stop_token& over) { callbacks_.lead(over); });
    const std::string lost = Renew(stop);
    {
      const MutexLock lock(mutex_);
      leading_ = false;
    }
    term.request_stop();
    if (!lost.empty()) Warn(lost);
  }
  // Only now: nobody else may begin before `lead` has returned.
  if (!stop.stop_requested()) GiveBack();
  Note(false);
}

/// When the term has to be over if the lease is not renewed: counted from when the last renewal was
/// sent, since others count from when it arrived.
Clock::TimePoint LeaderElection::Deadline() const {
  const MutexLock lock(mutex_);
  return renewed_ + options_.renew_deadline;
}

void LeaderElection::Renewed(Clock::TimePoint asked) {
  const MutexLock lock(mutex_);
  renewed_ = asked;
}

/// Returns when the lease is lost, or could not be renewed in time, and why; or nothing, when stop
/// is requested.
std::string LeaderElection::Renew(const std::stop_token& stop) {
  const auto pause = [this] {
    return std::clamp<Clock::Duration>(Deadline() - clock_.now(), Clock::Duration::zero(),
                                       options_.retry_period);
  };
  while (clock_.sleep(pause(), stop)) {
    const Clock::TimePoint asked = clock_.now();
    if (asked >= Deadline()) return "was not renewed in time: stopped leading";
    const auto kept = lock_.TryAcquireOrRenew(Until(Deadline(), asked), stop);
    if (kept.ok() && *kept) {
      Renewed(asked);
    } else if (kept.ok() && !lock_.holder().empty() && lock_.holder() != options_.identity) {
      return fmt::format("was taken by {}: stopped leading", lock_.holder());
    }
  }
  return "";
}

namespace {

class Candidate final : public Candidacy {
 public:
  explicit Candidate(std::unique_ptr<LeaderElection> election) : election_(std::move(election)) {}
  Clock::Duration TimeLeft() const override { return election_->TimeLeft(); }
  std::string Leader() const override { return election_->Leader(); }

 private:
  const std::unique_ptr<LeaderElection> election_;
};

// As client-go's components: the host, which in Kubernetes is the pod, and a random part, since a
// container that is started again must not take itself for the one before.
std::string NewIdentity() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  std::random_device random;
  return fmt::format("{}_{:08x}{:08x}", host.data(), random(), random());
}

}  // namespace

absl::StatusOr<std::unique_ptr<Candidacy>> StandForElection(
    Api* api, LeaseClaim claim, ElectionCallbacks callbacks,
    std::function<void(const std::string& line)> warn, Clock clock) {
  LeaseOptions options{.namespace_ = std::move(claim.namespace_),
                       .name = std::move(claim.name),
                       .identity = std::move(claim.identity),
                       .lease_duration = claim.lease_duration,
                       .renew_deadline = claim.renew_deadline,
                       .retry_period = claim.retry_period};
  if (options.identity.empty()) options.identity = NewIdentity();
  auto election = LeaderElection::Start(api, std::move(options),
                                        {.lead = std::move(callbacks.lead),
                                         .on_new_leader = std::move(callbacks.on_new_leader),
                                         .warn = std::move(warn)},
                                        std::move(clock));
  if (!election.ok()) return election.status();
  return std::make_unique<Candidate>(*std::move(election));
}

}  // namespace outrigger::kube
