#include "console/process/lease_term.h"

#include <cstdint>
#include <memory>
#include <utility>

#include "fmt/format.h"
#include "outrigger/base/mutex.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

/// Whether the work is done, which two threads have to agree about.
class LeaseWork {
 public:
  /// True once, unless it was given up.
  bool Begin() {
    const MutexLock lock(mutex_);
    if (state_ != State::kWaits) return false;
    state_ = State::kWorks;
    return true;
  }
  /// False: the work has begun.
  bool GiveUp() {
    const MutexLock lock(mutex_);
    if (state_ == State::kWaits) state_ = State::kGivenUp;
    return state_ == State::kGivenUp;
  }
  void End(absl::Status result) {
    {
      const MutexLock lock(mutex_);
      state_ = State::kDone;
      result_ = std::move(result);
    }
    ended_.request_stop();
  }
  /// Is stopped when the work is done.
  std::stop_token ended() const { return ended_.get_token(); }
  absl::Status result() const {
    const MutexLock lock(mutex_);
    return result_;
  }

 private:
  enum class State : uint8_t { kWaits, kWorks, kDone, kGivenUp };
  mutable Mutex mutex_;
  State state_ ABSL_GUARDED_BY(mutex_) = State::kWaits;
  absl::Status result_ ABSL_GUARDED_BY(mutex_);
  std::stop_source ended_;
};

absl::Status NotToBeHad(const LeaseTask& task, const std::string& holder) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(task.wait).count();
  const std::string cure = holder.empty()
                               ? "No holder was seen: check the rights on Leases"
                               : fmt::format("{} holds it: {}", Printable(holder), task.cure);
  return absl::DeadlineExceededError(
      fmt::format("Lease {}/{} could not be acquired within {} s; nothing was done. {}",
                  task.claim.namespace_, task.claim.name, seconds, cure));
}

}  // namespace

absl::Status HoldingLease(Elections* elections, LeaseTask task, const Clock& clock) {
  constexpr std::chrono::hours kLong{1};
  LeaseWork progress;
  ElectionCallbacks callbacks;
  callbacks.lead = [&](const std::stop_token& term) {
    if (progress.Begin()) progress.End(task.work(term));
  };
  callbacks.on_new_leader = [&](const std::string& holder) {
    if (!holder.empty() && holder != task.claim.identity) task.on_other_holder(holder);
  };
  const auto candidacy = elections->Stand(task.claim, std::move(callbacks));
  if (!candidacy.ok()) return candidacy.status();
  if (clock.sleep(task.wait, progress.ended()) && progress.GiveUp()) {
    return NotToBeHad(task, (*candidacy)->Leader());
  }
  while (clock.sleep(kLong, progress.ended())) {
  }
  return progress.result();
}

}  // namespace outrigger::cli
