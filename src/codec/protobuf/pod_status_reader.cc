// Field numbers: k8s.io/api/core/v1/generated.proto, v0.36.

#include <optional>
#include <string>
#include <utility>

#include "codec/protobuf/pod_reading.h"
#include "codec/protobuf/reader.h"

namespace outrigger::protobuf {
namespace {

// ResourceRequirements of a status, which says something by being there.
absl::Status ReadRequests(Bytes bytes, const Path& at, ResourceList* requests) {
  return ReadMessage(bytes, at, Field{2, "requests", requests});
}

absl::Status ReadEnd(Bytes bytes, const Path& at, ContainerEnd* end) {
  return ReadMessage(bytes, at, Field{1, "exitCode", &end->exit_code},
                     Field{3, "reason", Kept(&end->reason)},
                     Field{5, "startedAt", IntoTime(&end->started)},
                     Field{6, "finishedAt", IntoTime(&end->finished)});
}

absl::Status ReadState(Bytes bytes, const Path& at, ContainerState* state) {
  const auto waiting = [state](Bytes message, const Path& place) {
    return ReadMessage(message, place, Field{1, "reason", Kept(&state->waiting_reason)});
  };
  const auto running = [state](Bytes message, const Path& place) {
    return ReadMessage(message, place, Field{1, "startedAt", IntoTime(&state->running_since)});
  };
  return ReadMessage(bytes, at, Field{1, "waiting", waiting}, Field{2, "running", running},
                     Field{3, "terminated", Into(&state->end, ReadEnd)});
}

absl::Status ReadLastState(Bytes bytes, const Path& at, ContainerState* state) {
  return ReadMessage(bytes, at, Field{3, "terminated", Into(&state->last_end, ReadEnd)});
}

// Reads one status: its resources into `status`, its state into `state`.
absl::Status ReadContainerStatus(Bytes bytes, const Path& at, const Needs& needs,
                                 ContainerStatus* status, ContainerState* state) {
  const bool resources = needs.Has(Needs::kPodStatus);
  const bool states = needs.Has(Needs::kPodTimes);
  int32_t restarts = 0;
  absl::Status read = ReadMessage(
      bytes, at, Field{1, "name", &status->name}, Field{2, "state", Into(state, ReadState), states},
      Field{3, "lastState", Into(state, ReadLastState), states},
      Field{5, "restartCount", &restarts, states},
      Field{10, "allocatedResources", &status->allocated, resources},
      Field{11, "resources", Into(&status->requests, ReadRequests), resources});
  state->restarts = restarts;
  if (status->requests) status->requests->Normalize();
  status->allocated.Normalize();
  return read;
}

// Keeps the states, and of the rest the statuses that report resources.
auto KeepStatus(PodReading* reading, bool init, std::vector<ContainerStatus>* statuses) {
  return [=](Bytes bytes, const Path& at) {
    ContainerStatus status;
    ContainerState state;
    absl::Status read = ReadContainerStatus(bytes, at, reading->needs, &status, &state);
    if (reading->needs.Has(Needs::kPodTimes)) {
      state.name = status.name;
      state.init = init;
      reading->parts.container_states.push_back(std::move(state));
    }
    if (status.requests || !status.allocated.empty()) statuses->push_back(std::move(status));
    return read;
  };
}

auto KeepCondition(PodReading* reading) {
  return [reading](Bytes bytes, const Path& at) {
    std::string_view type;
    std::string_view is;
    std::string_view reason;
    std::string_view message;
    std::optional<int64_t> since;
    const auto transition = [&since](Bytes time, const Path& place) {
      return ReadTime(time, place, &since);
    };
    absl::Status status =
        ReadMessage(bytes, at, Field{1, "type", &type}, Field{2, "status", &is},
                    Field{4, "lastTransitionTime", transition}, Field{5, "reason", Raw(&reason)},
                    Field{6, "message", Raw(&message)});
    const bool life = reading->needs.Has(Needs::kPodStatus);
    if (type == "PodScheduled") {
      reading->pod->scheduled_time = is == "True" ? since.value_or(0) : 0;
      if (!life) return status;
      Keep(reason, &reading->pod->unscheduled_reason);
      Keep(message, &reading->pod->unscheduled_message);
    } else if (life && type == "PodResizePending" && !std::exchange(reading->resize_seen, true)) {
      reading->pod->resize_infeasible = reason == "Infeasible";
    }
    return status;
  };
}

}  // namespace

absl::Status ReadPodStatus(Bytes bytes, const Path& at, PodReading* reading) {
  const bool scheduling = reading->needs.Has(Needs::kPodScheduling);
  const bool life = reading->needs.Has(Needs::kPodStatus);
  const bool times = reading->needs.Has(Needs::kPodTimes);
  Pod* const pod = reading->pod;
  return ReadMessage(
      bytes, at,
      Field{1, "phase", &pod->phase,
            scheduling || times || reading->needs.Has(Needs::kClusterPods)},
      Field{2, "conditions", Counted(&reading->conditions, KeepCondition(reading)), life || times},
      Field{4, "reason", Kept(&pod->status_reason), reading->needs.Has(Needs::kPodContainerStates)},
      Field{7, "startTime", IntoTime(&pod->start_time), times},
      Field{8, "containerStatuses",
            Counted(&reading->container_statuses,
                    KeepStatus(reading, /*init=*/false, &pod->container_statuses)),
            life || times},
      Field{9, "qosClass", &pod->qos_class, life},
      Field{10, "initContainerStatuses",
            Counted(&reading->init_container_statuses,
                    KeepStatus(reading, /*init=*/true, &pod->init_container_statuses)),
            life || times},
      Field{15, "resourceClaimStatuses", Into(&reading->parts.claim_statuses, ReadNamedClaim<2>),
            scheduling},
      Field{11, "nominatedNodeName", &pod->nominated_node_name, scheduling},
      Field{19, "allocatedResources", &pod->status_allocated, life},
      Field{20, "resources", Into(&pod->status_requests, ReadRequests), life});
}

}  // namespace outrigger::protobuf
