#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
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

}  // namespace outrigger::lab
