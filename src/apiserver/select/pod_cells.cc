#include <algorithm>
#include <string>

#include "apiserver/select/cells.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

struct PodSummary {
  int64_t ready = 0;
  std::string status;
  int64_t restarts = 0;
  std::string last_restart = {};  // RFC 3339 in UTC, so that texts compare as times
};

bool IsSidecar(const Json& container) {
  return TextAt(container, "restartPolicy") == "Always";
}

void CountRestarts(const Json& status, PodSummary* summary) {
  summary->restarts += NumberAt(status, "restartCount");
  summary->last_restart =
      std::max(summary->last_restart, TextAt(status, "lastState.terminated.finishedAt"));
}

// "Error" or "ExitCode:1".
std::string TerminationOf(const Json& status) {
  const std::string& reason = TextAt(status, "state.terminated.reason");
  if (!reason.empty()) return reason;
  return fmt::format("ExitCode:{}", NumberAt(status, "state.terminated.exitCode"));
}

// What the pod waits for; "" if the init container is done, or a sidecar that runs.
std::string InitStatusOf(const Json& status, size_t index, size_t count) {
  const bool terminated = ValueAt(status, "state.terminated") != nullptr;
  if (terminated && NumberAt(status, "state.terminated.exitCode") == 0) return "";
  if (terminated) return "Init:" + TerminationOf(status);
  if (IsTrueAt(status, "started")) return "";
  const std::string& waiting = TextAt(status, "state.waiting.reason");
  if (!waiting.empty() && waiting != "PodInitializing") return "Init:" + waiting;
  return fmt::format("Init:{}/{}", index, count);
}

// True if an init container is not done.
bool SummarizeInitContainers(const Json& pod, PodSummary* summary) {
  const Json& statuses = ListAt(pod, "status.initContainerStatuses");
  const size_t count = ListAt(pod, "spec.initContainers").size();
  for (size_t i = 0; i < statuses.size(); ++i) {
    CountRestarts(statuses[i], summary);
    std::string pending = InitStatusOf(statuses[i], i, count);
    if (!pending.empty()) {
      summary->status = std::move(pending);
      return true;
    }
    summary->ready += IsTrueAt(statuses[i], "started") && IsTrueAt(statuses[i], "ready");
  }
  return false;
}

void SummarizeContainers(const Json& pod, PodSummary* summary) {
  bool has_running = false;
  std::string error;
  const Json& statuses = ListAt(pod, "status.containerStatuses");
  for (auto status = statuses.rbegin(); status != statuses.rend(); ++status) {
    CountRestarts(*status, summary);
    const std::string& waiting = TextAt(*status, "state.waiting.reason");
    if (!waiting.empty()) {
      summary->status = waiting;
    } else if (ValueAt(*status, "state.terminated") != nullptr) {
      summary->status = TerminationOf(*status);
      if (NumberAt(*status, "state.terminated.exitCode") != 0) error = summary->status;
    } else if (IsTrueAt(*status, "ready") && ValueAt(*status, "state.running") != nullptr) {
      has_running = true;
      ++summary->ready;
    }
  }
  if (summary->status != "Completed") return;
  if (has_running) {
    summary->status = ConditionOf(pod, "Ready") == "True" ? "Running" : "NotReady";
  }
  if (!error.empty() && summary->status != "Running") summary->status = error;
}

PodSummary Summarize(const Json& pod) {
  const std::string& phase = TextAt(pod, "status.phase");
  const std::string& reason = TextAt(pod, "status.reason");
  PodSummary summary = {.status = reason.empty() ? phase : reason};
  for (const Json& condition : ListAt(pod, "status.conditions")) {
    if (TextAt(condition, "reason") == "SchedulingGated") summary.status = "SchedulingGated";
  }
  if (!SummarizeInitContainers(pod, &summary)) {
    summary.restarts = 0;
    summary.last_restart.clear();
    SummarizeContainers(pod, &summary);
  }
  const bool ended = phase == "Succeeded" || phase == "Failed";
  if (ValueAt(pod, "metadata.deletionTimestamp") != nullptr && !ended) {
    summary.status = "Terminating";
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

Json PodReadyCell(const CellSource& source) {
  const Json& pod = source.object;
  const Json& init = ListAt(pod, "spec.initContainers");
  const auto sidecars = static_cast<size_t>(std::count_if(init.begin(), init.end(), IsSidecar));
  return fmt::format("{}/{}", Summarize(pod).ready,
                     ListAt(pod, "spec.containers").size() + sidecars);
}

Json PodStatusCell(const CellSource& source) {
  return Summarize(source.object).status;
}

Json PodRestartsCell(const CellSource& source) {
  const PodSummary summary = Summarize(source.object);
  const Json last = summary.last_restart;
  const Json age = AgeCell({{&last}, source.object, source.now});
  if (summary.restarts == 0 || age.is_null()) return std::to_string(summary.restarts);
  return fmt::format("{} ({} ago)", summary.restarts, age.get<std::string>());
}

Json PodGatesCell(const CellSource& source) {
  const Json& gates = ListAt(source.object, "spec.readinessGates");
  const auto open = std::count_if(gates.begin(), gates.end(), [&](const Json& gate) {
    return ConditionOf(source.object, TextAt(gate, "conditionType")) == "True";
  });
  return gates.empty() ? Json() : Json(fmt::format("{}/{}", open, gates.size()));
}

}  // namespace outrigger::apiserver
