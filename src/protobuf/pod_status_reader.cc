// Field numbers: k8s.io/api/core/v1/generated.proto, v0.36.

#include <optional>
#include <string>
#include <utility>

#include "protobuf/pod_reading.h"
#include "protobuf/reader.h"

namespace outrigger::protobuf {
namespace {

// ResourceRequirements of a status, which says something by being there.
absl::Status ReadRequests(Bytes bytes, const Path& at, ResourceList* requests) {
  return ReadMessage(bytes, at, Field{2, "requests", requests});
}

// Keeps the statuses that report resources.
auto KeepStatus(std::vector<ContainerStatus>* statuses) {
  return [statuses](Bytes bytes, const Path& at) {
    ContainerStatus status;
    absl::Status read = ReadMessage(bytes, at, Field{1, "name", &status.name},
                                    Field{10, "allocatedResources", &status.allocated},
                                    Field{11, "resources", Into(&status.requests, ReadRequests)});
    if (status.requests) status.requests->Normalize();
    status.allocated.Normalize();
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
    if (type == "PodScheduled") {
      reading->pod->scheduled_time = is == "True" ? since.value_or(0) : 0;
      Keep(reason, &reading->pod->unscheduled_reason);
      Keep(message, &reading->pod->unscheduled_message);
    } else if (type == "PodResizePending" && !std::exchange(reading->resize_seen, true)) {
      reading->pod->resize_infeasible = reason == "Infeasible";
    }
    return status;
  };
}

}  // namespace

absl::Status ReadPodStatus(Bytes bytes, const Path& at, PodReading* reading) {
  const bool scheduling = reading->needs.Has(Needs::kPodScheduling);
  const bool life = reading->needs.Has(Needs::kPodStatus);
  Pod* const pod = reading->pod;
  return ReadMessage(
      bytes, at,
      Field{1, "phase", &pod->phase, scheduling || reading->needs.Has(Needs::kClusterPods)},
      Field{2, "conditions", Counted(&reading->conditions, KeepCondition(reading)), life},
      Field{8, "containerStatuses",
            Counted(&reading->container_statuses, KeepStatus(&pod->container_statuses)), life},
      Field{9, "qosClass", &pod->qos_class, life},
      Field{10, "initContainerStatuses",
            Counted(&reading->init_container_statuses, KeepStatus(&pod->init_container_statuses)),
            life},
      Field{15, "resourceClaimStatuses", Into(&reading->parts.claim_statuses, ReadNamedClaim<2>),
            scheduling},
      Field{11, "nominatedNodeName", &pod->nominated_node_name, scheduling},
      Field{19, "allocatedResources", &pod->status_allocated, life},
      Field{20, "resources", Into(&pod->status_requests, ReadRequests), life});
}

}  // namespace outrigger::protobuf
