#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/api.h"
#include "kube/watch/object_sink.h"
#include "kube/watch/reflector_state.h"
#include "lab/client/api_client.h"
#include "lab/client/informers.h"
#include "lab/framework/event_handlers.h"
#include "lab/framework/handle.h"
#include "lab/framework/node_cache.h"
#include "lab/framework/scheduler.h"
#include "lab/framework/timers.h"
#include "lab/framework/trace.h"
#include "lab/framework/waiting_pods.h"
#include "lab/framework/workers.h"
#include "lab/steps/steps.h"

namespace outrigger::lab {

/// An API server whose refusals say which right is missing: "needs the right to list nodes: ...".
/// Codes and details of errors stay. Thread-safe.
class NamedRights final : public kube::Api {
 public:
  /// `api` outlives this.
  explicit NamedRights(kube::Api* api) : api_(*api) {}

  absl::StatusOr<kube::ApiResponse> Call(const kube::ApiRequest& request) override;
  absl::Status Stream(const kube::ApiRequest& request, kube::ByteSink sink) override;

 private:
  kube::Api& api_;
};

struct LabSchedulerOptions {
  int step = kLastStep;  // kFirstStep to kLastStep
  /// Pods with another spec.schedulerName are left alone.
  std::string scheduler_name = "default-scheduler";
  /// The same seed makes the same choices of the same pods and nodes.
  uint64_t seed = 0;
  /// The order of pods that wait; never null.
  QueueSort sort = nullptr;
  /// As ApiClientOptions::host.
  std::string host = {};
  /// Sees the end of each cycle, and with `trace_rows` what each plugin said. May be null.
  TraceSink* trace = nullptr;
  bool trace_rows = false;
  /// How long calls that are under way may take after Stop().
  std::chrono::milliseconds grace{2000};
  /// Called once, on the scheduler's thread, when nodes and pods are known and scheduling begins,
  /// with the number of nodes. May be empty.
  std::function<void(size_t nodes)> ready = {};
  /// Gets what an operator should know: calls that failed. May be empty; thread-safe.
  std::function<void(const std::string& line)> warn = {};
  /// As kube::ReflectorOptions::report; thread-safe.
  std::function<void(const kube::ObjectProblem& problem)> report = {};
};

/// One scheduler of the lab at one API server, with all that it runs on: time, chance, threads.
class LabScheduler {
 public:
  /// `api` and what `options` point to outlive this.
  LabScheduler(kube::Api* api, const LabSchedulerOptions& options);
  /// Stops.
  ~LabScheduler();
  LabScheduler(const LabScheduler&) = delete;
  LabScheduler& operator=(const LabScheduler&) = delete;

  /// Begins: waits for the API server as long as it takes, then schedules. To be called once.
  void Start();
  /// Takes no further pod; calls that are under way may end within the grace. Pods that wait at
  /// Permit stay unbound. Idempotent.
  void Stop();

  /// How well nodes and pods are followed. Thread-safe.
  std::vector<kube::ReflectorState> States() const { return informers_.States(); }

 private:
  // Bindings at once: what the API server takes from one client without delay.
  static constexpr size_t kWorkers = 32;
  // Conditions at once; the client's rate limit holds them back anyway.
  static constexpr size_t kReporters = 4;

  Handle MakeHandle();
  SchedulerOptions MakeSchedulerOptions() const;
  void Run(const std::stop_token& stop);

  const LabSchedulerOptions options_;
  // Each outlives those after it.
  NamedRights rights_;
  ApiClient client_;
  ThreadTimers timers_;
  Random random_;
  NodeCache nodes_;
  WaitingPods waiting_;
  Workers workers_;
  Workers reporters_;
  Scheduler scheduler_;
  EventHandlers handlers_;
  Informers informers_;
  std::jthread loop_;
};

}  // namespace outrigger::lab
