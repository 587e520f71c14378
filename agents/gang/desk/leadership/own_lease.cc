#include "gang/desk/leadership/own_lease.h"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <memory>
#include <utility>

#include "fmt/format.h"
#include "outrigger/base/mutex.h"

namespace outrigger::desk {

// It is stopped by its caller, and with the term.
class TermWrites::Write {
 public:
  Write(TermWrites* all, const std::stop_token& caller, const std::stop_token& term)
      : all_(all),
        by_caller_(caller, [this] { stop_.request_stop(); }),
        by_term_(term, [this] { stop_.request_stop(); }) {
    const MutexLock lock(all_->mutex_);
    ++all_->under_way_;
  }
  ~Write() {
    const MutexLock lock(all_->mutex_);
    --all_->under_way_;
    all_->ended_.notify_all();
  }
  Write(const Write&) = delete;
  Write& operator=(const Write&) = delete;

  std::stop_token stop() const { return stop_.get_token(); }

 private:
  TermWrites* const all_;
  std::stop_source stop_;
  const std::stop_callback<std::function<void()>> by_caller_;
  const std::stop_callback<std::function<void()>> by_term_;
};

WritePermit TermWrites::Begin(const CallLimits& limits, const std::stop_token& term) {
  auto write = std::make_shared<Write>(this, limits.stop, term);
  return {.limits = {.timeout = limits.timeout, .stop = write->stop()}, .under_way = write};
}

void TermWrites::AwaitNone() {
  MutexLock lock(mutex_);
  ended_.wait(lock, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return under_way_ == 0; });
}

OwnLease::OwnLease(Elections* elections, LeaseClaim claim, std::function<void()> changed)
    : elections_(elections), claim_(std::move(claim)), changed_(std::move(changed)) {}

OwnLease::~OwnLease() {
  Stop();
}

absl::Status OwnLease::Start() {
  auto candidacy = elections_->Stand(
      claim_, {.lead = [this](const std::stop_token& term) { Lead(term); },
               .on_new_leader = [this](const std::string& holder) { OnHolder(holder); }});
  if (!candidacy.ok()) return candidacy.status();
  {
    const MutexLock lock(mutex_);
    candidacy_ = *std::move(candidacy);
  }
  changed_();  // a term may have begun before
  return absl::OkStatus();
}

// The election calls back until its candidate is gone.
void OwnLease::Stop() {
  std::unique_ptr<Candidacy> ended;
  {
    const MutexLock lock(mutex_);
    ended = std::move(candidacy_);
  }
  ended.reset();
}

// What is done as the leader others do; they ask before each act.
void OwnLease::Lead(const std::stop_token& term) {
  {
    const MutexLock lock(mutex_);
    ++terms_;
    term_ = term;
    identity_ = holder_.value_or("");
  }
  changed_();
  Mutex mutex;
  std::condition_variable_any over;
  MutexLock lock(mutex);
  over.wait(lock, term, [] { return false; });
  {
    const MutexLock ending(mutex_);
    term_.reset();
  }
  changed_();
  writes_.AwaitNone();  // the term has cut them short; another one may lead as soon as this returns
}

void OwnLease::OnHolder(const std::string& holder) {
  {
    const MutexLock lock(mutex_);
    holder_ = holder;
  }
  changed_();
}

// What is left of the term, less than a millisecond not counted; zero: there is none.
std::chrono::milliseconds OwnLease::TimeLeft() const {
  if (!term_ || term_->stop_requested() || candidacy_ == nullptr) return {};
  return std::chrono::floor<std::chrono::milliseconds>(candidacy_->TimeLeft());
}

absl::Status OwnLease::Now() const {
  const MutexLock lock(mutex_);
  return Leads() ? absl::OkStatus() : NotInCharge();
}

absl::Status OwnLease::NotInCharge() const {
  const std::string lease = fmt::format("{}/{}", claim_.namespace_, claim_.name);
  if (!holder_) {
    return absl::UnavailableError(
        fmt::format("starting: the Lease {} has not been read yet", lease));
  }
  if (holder_->empty()) {
    return absl::UnavailableError(fmt::format("not in charge: the Lease {} has no holder", lease));
  }
  if (*holder_ == identity_) {
    return absl::UnavailableError(
        fmt::format("not in charge: the Lease {} was not renewed in time", lease));
  }
  return absl::UnavailableError(
      fmt::format("not in charge: {} holds the Lease {}", *holder_, lease));
}

std::string OwnLease::Epoch() const {
  const MutexLock lock(mutex_);
  return terms_ == 0 ? "" : fmt::format("term {}", terms_);
}

absl::StatusOr<WritePermit> OwnLease::MayWrite(const CallLimits& limits) {
  const MutexLock lock(mutex_);
  const std::chrono::milliseconds left = TimeLeft();
  if (left.count() == 0) return NotInCharge();
  return writes_.Begin({.timeout = std::min(limits.timeout, left), .stop = limits.stop}, *term_);
}

absl::Status OwnLease::Ask(const CallLimits& /*limits*/) {
  return Now();
}

bool OwnLease::IsHeldByAnother() const {
  const MutexLock lock(mutex_);
  return !Leads() && holder_ && !holder_->empty() && *holder_ != identity_;
}

}  // namespace outrigger::desk
