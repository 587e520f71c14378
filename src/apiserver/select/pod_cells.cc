#include <algorithm>
#include <string>

#include "apiserver/select/cells.h"
#include "apiserver/select/columns.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

struct PodSummary {
  int64_t ready = 0;
  size_t containers = 0;
  std::string status;
  int64_t restarts = 0;
  std::string last_restart = {};  // RFC 3339 in UTC, so that texts compare as times
};

bool IsSidecar(const Json& pod, const std::string& name) {
  for (const Json& container : ListAt(pod, "spec.initContainers")) {
    if (TextAt(container, "name") == name) return TextAt(container, "restartPolicy") == "Always";
  }
  return false;
}

void CountRestarts(const Json& status, PodSummary* summary) {
  summary->restarts += NumberAt(status, "restartCount");
  summary->last_restart =
      std::max(summary->last_restart, TextAt(status, "lastState.terminated.finishedAt"));
}

// "Error", "Signal:9" or "ExitCode:1".
std::string TerminationOf(const Json& status) {
  const std::string& reason = TextAt(status, "state.terminated.reason");
  if (!reason.empty()) return reason;
  const int64_t signal = NumberAt(status, "state.terminated.signal");
  if (signal != 0) return fmt::format("Signal:{}", signal);
  return fmt::format("ExitCode:{}", NumberAt(status, "state.terminated.exitCode"));
}

// The status while an init container is not done; "" if this one is.
std::string InitStatusOf(const Json& pod, const Json& status, size_t index, bool sidecar,
                         PodSummary* summary) {
  const bool terminated = ValueAt(status, "state.terminated") != nullptr;
  if (terminated && NumberAt(status, "state.terminated.exitCode") == 0) return "";
  if (sidecar && IsTrueAt(status, "started")) {
    summary->ready += IsTrueAt(status, "ready");
    return "";
  }
  if (terminated) return "Init:" + TerminationOf(status);
  const std::string& waiting = TextAt(status, "state.waiting.reason");
  if (!waiting.empty() && waiting != "PodInitializing") return "Init:" + waiting;
  return fmt::format("Init:{}/{}", index, ListAt(pod, "spec.initContainers").size());
}

// True if an init container is not done. `sidecars` gets the restarts that stay.
bool SummarizeInitContainers(const Json& pod, PodSummary* summary, PodSummary* sidecars) {
  size_t index = 0;
  for (const Json& status : ListAt(pod, "status.initContainerStatuses")) {
    const bool sidecar = IsSidecar(pod, TextAt(status, "name"));
    CountRestarts(status, summary);
    if (sidecar) CountRestarts(status, sidecars);
    std::string pending = InitStatusOf(pod, status, index++, sidecar, summary);
    if (pending.empty()) continue;
    summary->status = std::move(pending);
    return true;
  }
  return false;
}

void SummarizeContainers(const Json& pod, PodSummary* summary) {
  bool has_running = false;
  std::string error;
  const Json& statuses = ListAt(pod, "status.containerStatuses");
  for (size_t i = statuses.size(); i-- > 0;) {
    const Json& status = statuses[i];
    CountRestarts(status, summary);
    const std::string& waiting = TextAt(status, "state.waiting.reason");
    if (!waiting.empty()) {
      summary->status = waiting;
    } else if (ValueAt(status, "state.terminated") != nullptr) {
      summary->status = TerminationOf(status);
      if (NumberAt(status, "state.terminated.exitCode") != 0) error = summary->status;
    } else if (IsTrueAt(status, "ready") && ValueAt(status, "state.running") != nullptr) {
      has_running = true;
      ++summary->ready;
    }
  }
  if (summary->status != "Completed") return;
  if (has_running && ConditionOf(pod, "Ready") == "True") {
    summary->status = "Running";
  } else if (!error.empty()) {
    summary->status = error;
  } else if (has_running) {
    summary->status = "NotReady";
  }
}

PodSummary Summarize(const Json& pod) {
  const std::string& phase = TextAt(pod, "status.phase");
  const std::string& reason = TextAt(pod, "status.reason");
  PodSummary summary = {.status = reason.empty() ? phase : reason};
  summary.containers = ListAt(pod, "spec.containers").size();
  for (const Json& container : ListAt(pod, "spec.initContainers")) {
    summary.containers += TextAt(container, "restartPolicy") == "Always";
  }
  for (const Json& condition : ListAt(pod, "status.conditions")) {
    if (TextAt(condition, "type") == "PodScheduled" &&
        TextAt(condition, "reason") == "SchedulingGated") {
      summary.status = "SchedulingGated";
    }
  }
  PodSummary sidecars;
  const bool initializing = SummarizeInitContainers(pod, &summary, &sidecars);
  if (!initializing || ConditionOf(pod, "Initialized") == "True") {
    summary.restarts = sidecars.restarts;
    summary.last_restart = sidecars.last_restart;
    SummarizeContainers(pod, &summary);
  }
  if (ValueAt(pod, "metadata.deletionTimestamp") != nullptr) {
    if (reason == "NodeLost") {
      summary.status = "Unknown";
    } else if (phase != "Succeeded" && phase != "Failed") {
      summary.status = "Terminating";
    }
  }
  return summary;
}

}  // namespace

std::string_view ConditionOf(const Json& object, std::string_view type) {
  for (const Json& condition : ListAt(object, "status.conditions")) {
    if (TextAt(condition, "type") == type) return TextAt(condition, "status");
  }
  return "";
}

Json PodReadyCell(const Json& pod, std::string_view, absl::Time) {
  const PodSummary summary = Summarize(pod);
  return fmt::format("{}/{}", summary.ready, summary.containers);
}

Json PodStatusCell(const Json& pod, std::string_view, absl::Time) {
  return Summarize(pod).status;
}

Json PodRestartsCell(const Json& pod, std::string_view, absl::Time now) {
  const PodSummary summary = Summarize(pod);
  const Json age = AgeCell({{"at", summary.last_restart}}, "at", now);
  if (summary.restarts == 0 || age.is_null()) return std::to_string(summary.restarts);
  return fmt::format("{} ({} ago)", summary.restarts, age.get<std::string>());
}

Json PodGatesCell(const Json& pod, std::string_view, absl::Time) {
  const Json& gates = ListAt(pod, "spec.readinessGates");
  if (gates.empty()) return "<none>";
  size_t open = 0;
  for (const Json& gate : gates) {
    open += ConditionOf(pod, TextAt(gate, "conditionType")) == "True";
  }
  return fmt::format("{}/{}", open, gates.size());
}

}  // namespace outrigger::apiserver
