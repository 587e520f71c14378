#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "lab/framework/timers.h"
#include "lab/framework/waiting_pods.h"
#include "lab/framework/workers.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::lab {

/// What a scheduler asks of the API server. Thread-safe; calls block but RecordEvent().
class SchedulerApi {
 public:
  virtual ~SchedulerApi() = default;
  /// Binds the pod of that UID. A pod that is bound there already is a success. Aborted: it is
  /// bound to another node, or another pod has its name; NotFound: it is gone.
  virtual absl::Status Bind(const Pod& pod, std::string_view node) = 0;
  /// Sets the condition PodScheduled to False, with a reason ("Unschedulable", "SchedulerError")
  /// and a message for people. Nothing is written where it says that already.
  virtual absl::Status WriteUnscheduled(const Pod& pod, std::string_view reason,
                                        std::string_view message) = 0;
  /// Writes an Event about the pod in the background: reason "Scheduled" or, as a warning,
  /// "FailedScheduling".
  virtual void RecordEvent(const Pod& pod, bool warning, std::string_view reason,
                           std::string_view action, std::string_view note) = 0;
};

/// Chance, repeatable: the same seed gives the same choices on every machine. For one thread.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  /// One of 0 to count - 1, each as likely (the bias is below count / 2^64). `count` is not 0.
  size_t Pick(size_t count) { return static_cast<size_t>(engine_() % count); }

 private:
  std::mt19937_64 engine_;
};

/// What the scheduler and its plugins get from outside (framework.Handle): nothing in the lab reads
/// a clock, rolls dice, starts a thread or calls the API server but by these. All outlive whoever
/// has the handle.
struct Handle {
  Timers* timers = nullptr;
  Random* random = nullptr;  // of the scheduling cycle's thread
  WaitingPods* waiting_pods = nullptr;
  Executor* background = nullptr;  // of binding cycles
  /// Of what is written about pods that found no node. Apart from those, which it must not hold up.
  Executor* reports = nullptr;
  SchedulerApi* api = nullptr;
};

}  // namespace outrigger::lab
