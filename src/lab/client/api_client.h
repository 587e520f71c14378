#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "kube/api.h"
#include "kube/write/event_recorder.h"
#include "lab/framework/handle.h"
#include "outrigger/base/clock.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::lab {

struct ApiClientOptions {
  /// Of Events: reportingController.
  std::string scheduler_name = {};
  /// Which of them: "HOST", which makes the reportingInstance "NAME-HOST". May be empty.
  std::string host = {};
  /// Gets the reason why Events are not written. May be empty; thread-safe.
  std::function<void(const std::string& problem)> warn = {};
  Clock clock = {};
};

/// What a scheduler asks of a real API server.
class ApiClient final : public SchedulerApi {
 public:
  /// `api` outlives this.
  ApiClient(kube::Api* api, const ApiClientOptions& options);
  /// Writes Events that wait, for a second at most.
  ~ApiClient() override;
  ApiClient(const ApiClient&) = delete;
  ApiClient& operator=(const ApiClient&) = delete;

  /// Not held back by the client's own rate limit.
  absl::Status Bind(const Pod& pod, std::string_view node) override;
  absl::Status WriteUnscheduled(const Pod& pod, std::string_view reason,
                                std::string_view message) override;
  void RecordEvent(const Pod& pod, bool warning, std::string_view reason, std::string_view action,
                   std::string_view note) override;

  /// Ends the calls that are under way, and those to come, with Cancelled.
  void Cancel() { stop_.request_stop(); }

 private:
  kube::Api& api_;
  const Clock clock_;
  std::stop_source stop_;
  const std::unique_ptr<kube::EventRecorder> events_;
};

}  // namespace outrigger::lab
