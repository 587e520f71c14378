#include "fake_elections.h"

#include <utility>

#include "absl/status/status.h"

namespace outrigger::testing {

class FakeElections::Candidate final : public Candidacy {
 public:
  explicit Candidate(FakeElections* elections) : elections_(elections) {}
  ~Candidate() override {
    std::unique_lock<std::mutex> lock(elections_->mutex_);
    elections_->stands_ = false;
    elections_->End(&lock);
  }
  std::chrono::steady_clock::duration TimeLeft() const override {
    const std::lock_guard<std::mutex> lock(elections_->mutex_);
    if (!elections_->term_.joinable()) return {};
    return elections_->time_left_.value_or(elections_->claim_.renew_deadline);
  }
  std::string Leader() const override {
    const std::lock_guard<std::mutex> lock(elections_->mutex_);
    return elections_->leader_;
  }

 private:
  FakeElections* const elections_;
};

absl::StatusOr<std::unique_ptr<Candidacy>> FakeElections::Stand(LeaseClaim claim,
                                                                ElectionCallbacks callbacks) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stands_) return absl::FailedPreconditionError("a candidate stands already");
  if (!callbacks.lead) return absl::InvalidArgumentError("callbacks.lead is null");
  if (claim.name.empty()) return absl::InvalidArgumentError("claim.name is empty");
  claim_ = std::move(claim);
  if (claim_.identity.empty()) claim_.identity = "this";
  callbacks_ = std::move(callbacks);
  stands_ = true;
  if (is_given_) Begin();
  return std::make_unique<Candidate>(this);
}

void FakeElections::Begin() {
  if (term_.joinable()) return;
  leader_ = claim_.identity;
  term_ = std::jthread([lead = callbacks_.lead, report = callbacks_.on_new_leader,
                        leader = leader_](const std::stop_token& stop) {
    if (report) report(leader);
    lead(stop);
  });
}

void FakeElections::End(std::unique_lock<std::mutex>* lock) {
  std::jthread term = std::move(term_);
  leader_.clear();
  lock->unlock();
  if (!term.joinable()) return;
  term.request_stop();
  term.join();
}

void FakeElections::Give() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_given_ = true;
  if (stands_) Begin();
}

void FakeElections::Take(const std::string& holder) {
  std::unique_lock<std::mutex> lock(mutex_);
  is_given_ = false;
  End(&lock);
  lock.lock();
  leader_ = holder;
  const auto report = stands_ ? callbacks_.on_new_leader : nullptr;
  lock.unlock();
  if (report) report(holder);
}

void FakeElections::SetTimeLeft(std::optional<std::chrono::milliseconds> left) {
  const std::lock_guard<std::mutex> lock(mutex_);
  time_left_ = left;
}

bool FakeElections::IsStoodFor() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stands_;
}

LeaseClaim FakeElections::claim() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return claim_;
}

}  // namespace outrigger::testing
