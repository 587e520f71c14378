// Lets binds wait, as a permit barrier does. The benchmark steers it by filter calls, which do not
// compete with binds:
//
//   pod "count"    rejects every node with the number of binds that wait as its reason
//   pod "release"  lets all go that wait
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "outrigger/agent/agent.h"

namespace outrigger::hold {
namespace {

// No bind waits longer, so that a benchmark that dies leaves no server behind that cannot drain.
constexpr std::chrono::minutes kPatience(2);

class Hold final : public Agent, public Filterer, public Binder {
 public:
  absl::Status Bind(const BindRequest& request) override {
    std::unique_lock lock(mutex_);
    const uint64_t mine = released_;
    ++waiting_;
    const bool in_time =
        changed_.wait_for(lock, request.abandoned, kPatience, [&] { return released_ != mine; });
    --waiting_;
    if (request.abandoned.stop_requested()) return absl::CancelledError("nobody waits any more");
    return in_time ? absl::OkStatus() : absl::DeadlineExceededError("nobody released the bind");
  }

  absl::Status Filter(const Request& request, std::span<Verdict> verdicts) const override {
    const std::lock_guard lock(mutex_);
    if (request.pod.name == "release") {
      ++released_;
      changed_.notify_all();
    } else if (request.pod.name == "count") {
      for (Verdict& verdict : verdicts) verdict = Verdict::Rejected("waiting", "{}", waiting_);
    }
    return absl::OkStatus();
  }

 private:
  mutable std::mutex mutex_;  // guards what follows
  mutable std::condition_variable_any changed_;
  mutable uint64_t released_ = 0;  // how often all were let go
  int64_t waiting_ = 0;
};

}  // namespace

OUTRIGGER_AGENT(Hold, NoSettings)

}  // namespace outrigger::hold
