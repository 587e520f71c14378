// Lets binds wait, as a permit barrier does. Benchmark and load test steer it by filter calls,
// which do not compete with binds:
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

// No bind waits longer, so that a caller that dies leaves no server behind that cannot drain.
constexpr std::chrono::minutes kPatience(2);

struct Settings {
  int64_t fail_every = 0;
  static constexpr auto kFields = std::tuple{
      Setting{"fail-every", &Settings::fail_every, Range{0, 1'000'000'000},
              "of the binds that are let go, every so-manyth fails; 0: none. To show that a load "
              "test notices"},
  };
};

class Hold final : public Agent, public Filterer, public Binder {
 public:
  explicit Hold(const Settings& settings) : fail_every_(settings.fail_every) {}

  absl::Status Bind(const BindRequest& request) override {
    std::unique_lock lock(mutex_);
    const uint64_t mine = released_;
    ++waiting_;
    const bool in_time =
        changed_.wait_for(lock, request.abandoned, kPatience, [&] { return released_ != mine; });
    --waiting_;
    if (request.abandoned.stop_requested()) return absl::CancelledError("nobody waits any more");
    if (!in_time) return absl::DeadlineExceededError("nobody released the bind");
    ++let_go_;
    const bool fails = fail_every_ > 0 && let_go_ % fail_every_ == 0;
    return fails ? absl::UnavailableError("fails, as it was told to") : absl::OkStatus();
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
  const int64_t fail_every_;
  mutable std::mutex mutex_;  // guards what follows
  mutable std::condition_variable_any changed_;
  mutable uint64_t released_ = 0;  // how often all were let go
  int64_t waiting_ = 0;
  int64_t let_go_ = 0;  // binds
};

}  // namespace

OUTRIGGER_AGENT(Hold, Settings)

}  // namespace outrigger::hold
