#include "kube/lease/candidate.h"

#include <unistd.h>

#include <array>
#include <random>
#include <utility>

#include "fmt/format.h"
#include "kube/lease/leader_election.h"

namespace outrigger::kube {
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
