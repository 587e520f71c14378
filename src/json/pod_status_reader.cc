#include "json/pod_part_readers.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace outrigger::json {
namespace {

// Reads `resources` of a status, which says something by being there.
absl::Status ReadRequests(Value value, const Path& at, std::optional<ResourceList>* requests) {
  return ReadObject(value, at, Field{"requests", &requests->emplace()});
}

// Keeps the statuses that report resources.
absl::Status ReadContainerStatuses(Value value, const Path& at,
                                   std::vector<ContainerStatus>* statuses) {
  return ForEachElement(value, at, [statuses](Value item, const Path& where) {
    ContainerStatus status;
    const auto resources = [&status](Value object, const Path& place) {
      return ReadRequests(object, place, &status.requests);
    };
    absl::Status read = ReadField(item, where, [&](Value object, const Path& place) {
      return ReadObject(object, place, Field{"name", &status.name}, Field{"resources", resources},
                        Field{"allocatedResources", &status.allocated});
    });
    if (status.requests || !status.allocated.empty()) statuses->push_back(std::move(status));
    return read;
  });
}

struct Condition {
  std::string_view type;
  std::string_view status;
  int64_t since = 0;
  std::string reason;
  std::string message;
};

absl::Status ReadConditions(Value value, const Path& at, Pod* pod) {
  bool resize_seen = false;  // upstream looks at the first of them only
  return ForEachElement(value, at, [&](Value item, const Path& where) {
    Condition condition;
    const auto since = [&condition](Value time, const Path& place) {
      return ReadTime(time, place, &condition.since);
    };
    absl::Status status = ReadField(item, where, [&](Value object, const Path& place) {
      return ReadObject(object, place, Field{"type", &condition.type},
                        Field{"status", &condition.status}, Field{"reason", &condition.reason},
                        Field{"message", &condition.message}, Field{"lastTransitionTime", since});
    });
    if (condition.type == "PodScheduled") {
      pod->scheduled_time = condition.status == "True" ? condition.since : 0;
      pod->unscheduled_reason = std::move(condition.reason);
      pod->unscheduled_message = std::move(condition.message);
    } else if (condition.type == "PodResizePending" && !std::exchange(resize_seen, true)) {
      pod->resize_infeasible = condition.reason == "Infeasible";
    }
    return status;
  });
}

}  // namespace

absl::Status ReadPodStatus(Value value, const Path& at, const Needs& needs, Pod* pod,
                           PodParts* parts) {
  const bool scheduling = needs.Has(Needs::kPodScheduling);
  const bool life = needs.Has(Needs::kPodStatus);
  const auto conditions = [pod](Value list, const Path& place) {
    return ReadConditions(list, place, pod);
  };
  const auto containers = [pod](Value list, const Path& place) {
    return ReadContainerStatuses(list, place, &pod->container_statuses);
  };
  const auto init_containers = [pod](Value list, const Path& place) {
    return ReadContainerStatuses(list, place, &pod->init_container_statuses);
  };
  const auto resources = [pod](Value object, const Path& place) {
    return ReadRequests(object, place, &pod->status_requests);
  };
  return ReadObject(
      value, at, Field{"phase", &pod->phase, scheduling || needs.Has(Needs::kClusterPods)},
      Field{"nominatedNodeName", &pod->nominated_node_name, scheduling},
      Field{"resourceClaimStatuses", &parts->claim_statuses, scheduling},
      Field{"qosClass", &pod->qos_class, life}, Field{"conditions", conditions, life},
      Field{"containerStatuses", containers, life},
      Field{"initContainerStatuses", init_containers, life}, Field{"resources", resources, life},
      Field{"allocatedResources", &pod->status_allocated, life});
}

}  // namespace outrigger::json
