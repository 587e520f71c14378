#include "stand.h"

#include <condition_variable>
#include <utility>

namespace outrigger::kube_actor {

absl::Status Stand::Begin(Elections* elections, const std::string& namespace_,
                          const std::string& name) {
  End();
  ElectionCallbacks callbacks;
  callbacks.lead = [this](const std::stop_token& term) { Lead(term); };
  callbacks.on_new_leader = [this](const std::string& holder) {
    const std::lock_guard<std::mutex> lock(mutex_);
    leaders_.push_back(holder);
  };
  auto candidacy = elections->Stand({.namespace_ = namespace_,
                                     .name = name,
                                     .identity = {},
                                     .lease_duration = std::chrono::seconds(4),
                                     .renew_deadline = std::chrono::milliseconds(2000),
                                     .retry_period = std::chrono::milliseconds(300)},
                                    std::move(callbacks));
  if (!candidacy.ok()) return candidacy.status();
  candidacy_ = *std::move(candidacy);
  return absl::OkStatus();
}

void Stand::End() {
  candidacy_.reset();
}

void Stand::Lead(const std::stop_token& term) {
  std::unique_lock<std::mutex> lock(mutex_);
  ++terms_;
  std::condition_variable_any over;
  over.wait(lock, term, [] { return false; });
}

nlohmann::json Stand::Report() {
  const bool leading = candidacy_ != nullptr && candidacy_->IsLeader();
  const std::string leader = candidacy_ == nullptr ? "" : candidacy_->Leader();
  const std::lock_guard<std::mutex> lock(mutex_);
  return {{"leading", leading}, {"leader", leader}, {"terms", terms_}, {"leaders", leaders_}};
}

}  // namespace outrigger::kube_actor
