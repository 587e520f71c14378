#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "calls/barrier.h"
#include "desk_testing.h"
#include "gmock/gmock.h"

namespace outrigger::gang {

// Calls that wait, each on a thread of its own.
class Calls {
 public:
  explicit Calls(Barriers* barriers) : barriers_(*barriers) {}
  ~Calls() { barriers_.FailAll(BarrierEnd::kStopped, "the test is over"); }

  void Arrive(const plan::UnitKey& gang, const std::string& pod, const std::string& node = "n1",
              const std::string& role = "") {
    Call& call = calls_.emplace_back();
    call.result = std::async(std::launch::async, [this, gang, pod, node, role, &call] {
      return barriers_.Wait({.gang = gang,
                             .uid = "uid-" + pod,
                             .name = "default/" + pod,
                             .node = node,
                             .role = role,
                             .abandoned = call.client.get_token()});
    });
  }
  /// Waits until so many calls wait at the gang's barrier.
  void AwaitWaiting(const plan::UnitKey& gang, size_t count) {
    while (Waiting(gang) != count) std::this_thread::yield();
  }
  size_t Waiting(const plan::UnitKey& gang) {
    const auto waiters = barriers_.Waiters();
    const auto found = waiters.find(gang);
    return found == waiters.end() ? 0 : found->second.size();
  }
  void HangUp(size_t call) { calls_[call].client.request_stop(); }
  bool HasHungUp(size_t call) const { return calls_[call].client.stop_requested(); }
  absl::Status Result(size_t call) {
    if (calls_[call].result.wait_for(std::chrono::seconds(60)) != std::future_status::ready) {
      return absl::DeadlineExceededError("still waits");
    }
    return calls_[call].result.get();
  }

 private:
  struct Call {
    std::stop_source client;
    std::future<absl::Status> result;
  };
  Barriers& barriers_;
  std::deque<Call> calls_;
};

class BarrierTest : public ::testing::Test {
 protected:
  BarrierTest() : barriers_(Options()) {
    board_.AddGang("train", 3, 3);
    barriers_.OnPlan(board_.Make());
  }

  BarrierOptions Options() {
    BarrierOptions options;
    options.now = [this] {
      const std::chrono::seconds ahead = ahead_;
      if (ahead.count() == 0) ++looks_;
      return std::chrono::steady_clock::now() + ahead;
    };
    options.may_commit = [this] {
      if (before_commit_) std::exchange(before_commit_, nullptr)();
      return may_commit_;
    };
    options.changed = [this] { ++changes_; };
    options.ended = [this](const plan::UnitKey& /*gang*/, BarrierEnd end,
                           std::chrono::milliseconds held) {
      const std::lock_guard<std::mutex> lock(mutex_);
      ends_.push_back(end);
      held_ = held;
    };
    return options;
  }
  std::vector<BarrierEnd> ends() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return ends_;
  }

  // For how long the barrier stood that ended last.
  std::chrono::milliseconds held() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return held_;
  }

  const plan::UnitKey train_ = LabelsGang("train");
  std::atomic<std::chrono::seconds> ahead_{};  // of the clock
  std::atomic<int> looks_{0};                  // at the clock while it is right
  std::atomic<int> changes_{0};                // calls that have come to wait or have gone
  std::function<void()> before_commit_;        // once
  absl::Status may_commit_;
  std::mutex mutex_;
  std::vector<BarrierEnd> ends_;
  std::chrono::milliseconds held_{};
  MakeBoard board_;
  Barriers barriers_;
};

}  // namespace outrigger::gang
