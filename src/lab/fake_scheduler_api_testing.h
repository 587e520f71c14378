#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "lab/framework/handle.h"
#include "outrigger/base/mutex.h"

namespace outrigger::lab {

/// Remembers what a scheduler asked of the API server, and answers what a test has set.
class FakeSchedulerApi final : public SchedulerApi {
 public:
  /// Answers bindings; all succeed without it.
  std::function<absl::Status(const Pod& pod, std::string_view node)> on_bind = {};

  absl::Status Bind(const Pod& pod, std::string_view node) override {
    const absl::Status status = on_bind ? on_bind(pod, node) : absl::OkStatus();
    if (status.ok()) Add(&bindings_, pod.name + " -> " + std::string(node));
    return status;  // NOLINT(performance-no-automatic-move)
  }
  absl::Status WriteUnscheduled(const Pod& pod, std::string_view reason,
                                std::string_view message) override {
    Add(&conditions_, pod.name + " " + std::string(reason) + ": " + std::string(message));
    return absl::OkStatus();
  }
  void RecordEvent(const Pod& pod, bool warning, std::string_view reason, std::string_view action,
                   std::string_view note) override {
    Add(&events_, pod.name + (warning ? " warning " : " ") + std::string(reason) + " " +
                      std::string(action) + ": " + std::string(note));
  }

  /// "pod1 -> node1"
  std::vector<std::string> bindings() const { return Get(bindings_); }
  /// "pod1 Unschedulable: 0/9 nodes are available: ..."
  std::vector<std::string> conditions() const { return Get(conditions_); }
  /// "pod1 warning FailedScheduling Scheduling: 0/9 nodes are available: ..."
  std::vector<std::string> events() const { return Get(events_); }

 private:
  using Lines = std::vector<std::string>;
  void Add(Lines* lines, std::string line) {
    const MutexLock lock(mutex_);
    lines->push_back(std::move(line));
  }
  Lines Get(const Lines& lines) const {
    const MutexLock lock(mutex_);
    return lines;
  }

  mutable Mutex mutex_;
  Lines bindings_;  // guarded by mutex_, as are the following
  Lines conditions_;
  Lines events_;
};

}  // namespace outrigger::lab
