#include "lab/nodes/pod_status.h"

#include <string_view>

#include "fmt/format.h"
#include "kube/json_text.h"
#include "nlohmann/json.hpp"

namespace outrigger::lab {
namespace {

using Json = nlohmann::json;

WallTime WallTimeOf(int64_t seconds) {
  return WallTime(std::chrono::seconds(seconds));
}

Json PodCondition(const char* type, bool is_true, WallTime since, std::string_view reason = {},
                  const std::string& message = {}) {
  Json condition = {{"type", type},
                    {"status", is_true ? "True" : "False"},
                    {"lastProbeTime", nullptr},
                    {"lastTransitionTime", kube::WholeTime(since)}};
  if (!reason.empty()) condition["reason"] = reason;
  if (!message.empty()) condition["message"] = message;
  return condition;
}

Json ConditionsOfPod(const PodFacts& facts, PodStage stage) {
  const bool runs = stage == PodStage::kRunning;
  const bool ended = stage == PodStage::kEnded;
  const WallTime since = ended ? facts.ended : runs ? facts.running : facts.admitted;
  const std::string_view why = ended ? "PodCompleted" : runs ? "" : "ContainersNotReady";
  return {PodCondition("PodScheduled", true, facts.scheduled),
          PodCondition("PodReadyToStartContainers", runs, since),
          PodCondition("Initialized", true, facts.admitted, ended ? "PodCompleted" : ""),
          PodCondition("ContainersReady", runs, since, why),
          PodCondition("Ready", runs, since, why)};
}

Json TerminatedState(const PodFacts& facts, WallTime finished, int exit_code) {
  return {{"terminated",
           {{"exitCode", exit_code},
            {"reason", exit_code == 0 ? "Completed" : "Error"},
            {"startedAt", kube::WholeTime(facts.running)},
            {"finishedAt", kube::WholeTime(finished)}}}};
}

Json StateOfContainer(const PodFacts& facts, const PodFacts::Container& container, PodStage stage) {
  if (stage == PodStage::kStarting) {
    return {{"waiting", {{"reason", container.init ? "PodInitializing" : "ContainerCreating"}}}};
  }
  if (!container.keeps_running) return TerminatedState(facts, facts.running, 0);
  if (stage == PodStage::kEnded) {
    return TerminatedState(facts, facts.ended, container.init ? 0 : facts.exit_code);
  }
  return {{"running", {{"startedAt", kube::WholeTime(facts.running)}}}};
}

Json StatusesOfContainers(const PodFacts& facts, PodStage stage, bool init) {
  Json statuses = Json::array();
  for (const PodFacts::Container& container : facts.containers) {
    if (container.init != init) continue;
    const bool runs = stage == PodStage::kRunning && container.keeps_running;
    const bool done = !container.keeps_running && stage != PodStage::kStarting;
    Json status = {{"name", container.name},
                   {"image", facts.image},
                   {"imageID", ""},
                   {"restartCount", 0},
                   {"ready", runs || done},
                   {"started", runs},
                   {"state", StateOfContainer(facts, container, stage)}};
    if (stage != PodStage::kStarting) {
      status["containerID"] = fmt::format("lab://{}/{}", facts.uid, container.name);
    }
    statuses.push_back(std::move(status));
  }
  return statuses;
}

const char* PhaseOf(const PodFacts& facts, PodStage stage) {
  switch (stage) {
    case PodStage::kRunning:
      return "Running";
    case PodStage::kEnded:
      return facts.exit_code == 0 ? "Succeeded" : "Failed";
    case PodStage::kRejected:
      return "Failed";
    default:
      return "Pending";
  }
}

}  // namespace

PodFacts::PodFacts(const Pod& pod)
    : uid(pod.uid),
      image(pod.images.size() == 1 ? pod.images.front() : ""),
      scheduled(WallTimeOf(pod.scheduled_time)) {
  for (const outrigger::Container& container : pod.init_containers) {
    containers.push_back({container.name, true, container.restart_always});
  }
  for (const outrigger::Container& container : pod.containers) {
    containers.push_back({container.name});
  }
}

std::string PodStatusPatch(const PodFacts& facts, PodStage stage) {
  Json status = {{"phase", PhaseOf(facts, stage)}};
  if (stage == PodStage::kRejected) {
    status["reason"] = facts.rejection.reason;
    status["message"] = "Pod was rejected: " + facts.rejection.message;
  } else {
    status["startTime"] = kube::WholeTime(facts.admitted);
    status["hostIP"] = facts.node_address;
    status["hostIPs"] = {{{"ip", facts.node_address}}};
    if (stage != PodStage::kStarting) {
      status["podIP"] = facts.pod_address;
      status["podIPs"] = {{{"ip", facts.pod_address}}};
    }
    status["conditions"] = ConditionsOfPod(facts, stage);
    status["containerStatuses"] = StatusesOfContainers(facts, stage, false);
    Json init = StatusesOfContainers(facts, stage, true);
    if (!init.empty()) status["initContainerStatuses"] = std::move(init);
  }
  return Json{{"metadata", {{"uid", facts.uid}}}, {"status", std::move(status)}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace outrigger::lab
