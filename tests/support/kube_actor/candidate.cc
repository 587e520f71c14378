#include "candidate.h"

#include <condition_variable>
#include <utility>

#include "nlohmann/json.hpp"

namespace outrigger::kube_actor {

absl::Status Candidate::Stand(kube::Api* api, kube::LeaseOptions options, Clock clock) {
  kube::LeaderCallbacks callbacks;
  callbacks.lead = [this](std::stop_token term) { Lead(std::move(term)); };
  callbacks.warn = [this](const std::string& line) {
    const std::lock_guard<std::mutex> lock(mutex_);
    warnings_.push_back(line);
  };
  auto election =
      kube::LeaderElection::Start(api, std::move(options), std::move(callbacks), std::move(clock));
  if (!election.ok()) return election.status();
  election_ = *std::move(election);
  return absl::OkStatus();
}

void Candidate::Lead(std::stop_token term) {
  const bool alone = stage_.Enter();
  std::unique_lock<std::mutex> lock(mutex_);
  ++terms_;
  if (!alone) ++overlaps_;
  std::condition_variable_any over;
  over.wait(lock, std::move(term), [] { return false; });
  if (alone) stage_.Leave();
}

std::string Candidate::Line() {
  const bool leading = election_ != nullptr && election_->IsLeader();
  const std::string leader = election_ != nullptr ? election_->Leader() : "";
  const std::lock_guard<std::mutex> lock(mutex_);
  return nlohmann::json{{"leading", leading},
                        {"leader", leader},
                        {"terms", terms_},
                        {"overlaps", overlaps_},
                        {"warnings", warnings_}}
      .dump();
}

}  // namespace outrigger::kube_actor
