#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "outrigger/agent/cluster_snapshot.h"
#include "outrigger/plan/planner.h"
#include "outrigger/plan/unit.h"

namespace outrigger::gang {

/// Finds out what gangs lack that do not fit, on a thread and with a planner of its own: one
/// explanation takes many plans, and no call of the scheduler waits for it. Without Start() it does
/// so on the caller's thread, for tests. Thread-safe.
class Explainer {
 public:
  struct Job {
    std::shared_ptr<const ClusterSnapshot> snapshot;
    std::vector<plan::Unit> units;  // all of the plan
    size_t index = 0;               // of the one that is explained
    plan::PlanOptions options;
    std::string word = {};  // of the cause
    std::string kept = {};  // what is done for it
  };
  struct Explained {
    plan::UnitKey gang;
    std::string word = {};
    std::string kept = {};
    std::string text;  // with figures
    std::chrono::steady_clock::duration took{};
  };

  /// `changed` is called, without a lock, when Take() has something.
  explicit Explainer(std::function<void()> changed) : changed_(std::move(changed)) {}
  ~Explainer() { Stop(); }
  Explainer(const Explainer&) = delete;
  Explainer& operator=(const Explainer&) = delete;

  void Start();
  /// Returns after the plan under way.
  void Stop();

  /// True if nothing is being explained and nothing is there to be taken.
  bool IsIdle() const;
  /// A precondition is IsIdle().
  void Begin(Job job);
  std::optional<Explained> Take();

 private:
  void Run(const std::stop_token& stop);
  Explained Work(const Job& job, const std::stop_token& stop);

  const std::function<void()> changed_;
  plan::Planner planner_;     // of the thread
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any wake_;
  std::optional<Job> job_;
  bool is_working_ = false;
  std::optional<Explained> explained_;
  std::jthread thread_;
};

}  // namespace outrigger::gang
