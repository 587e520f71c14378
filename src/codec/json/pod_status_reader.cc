#include "codec/json/pod_part_readers.h"

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

// The target of a field that is a time.
auto IntoTime(int64_t* seconds) {
  return [seconds](Value time, const Path& place) { return ReadTime(time, place, seconds); };
}

// The target of a field whose value is an object with one field of interest.
template <typename Target>
auto IntoInner(std::string_view key, Target target) {
  return [key, target](Value object, const Path& place) {
    return ReadObject(object, place, Field{key, target});
  };
}

// `terminated` of a state.
auto IntoEnd(std::optional<ContainerEnd>* end) {
  return [end](Value object, const Path& place) {
    ContainerEnd& read = end->emplace();
    return ReadObject(object, place, Field{"exitCode", &read.exit_code},
                      Field{"reason", &read.reason}, Field{"startedAt", IntoTime(&read.started)},
                      Field{"finishedAt", IntoTime(&read.finished)});
  };
}

auto IntoState(ContainerState* state) {
  return [state](Value object, const Path& place) {
    return ReadObject(object, place, Field{"waiting", IntoInner("reason", &state->waiting_reason)},
                      Field{"running", IntoInner("startedAt", IntoTime(&state->running_since))},
                      Field{"terminated", IntoEnd(&state->end)});
  };
}

struct ContainerWants {
  bool resources = false;
  bool states = false;
};

// Reads one status: its resources into `status`, its state into `state`.
absl::Status ReadContainerStatus(Value value, const Path& at, ContainerWants wants,
                                 ContainerStatus* status, ContainerState* state) {
  const auto resources = [status](Value object, const Path& place) {
    return ReadRequests(object, place, &status->requests);
  };
  int32_t restarts = 0;
  absl::Status read = ReadObject(
      value, at, Field{"name", &status->name}, Field{"resources", resources, wants.resources},
      Field{"allocatedResources", &status->allocated, wants.resources},
      Field{"restartCount", &restarts, wants.states},
      Field{"state", IntoState(state), wants.states},
      Field{"lastState", IntoInner("terminated", IntoEnd(&state->last_end)), wants.states});
  state->restarts = restarts;
  return read;
}

// Keeps the states, and of the rest the statuses that report resources.
absl::Status ReadContainerStatuses(Value value, const Path& at, ContainerWants wants, bool init,
                                   std::vector<ContainerStatus>* statuses,
                                   std::vector<ContainerState>* states) {
  return ForEachElement(value, at, [=](Value item, const Path& where) {
    ContainerStatus status;
    ContainerState state;
    absl::Status read = ReadField(item, where, [&](Value object, const Path& place) {
      return ReadContainerStatus(object, place, wants, &status, &state);
    });
    if (wants.states) {
      state.name = status.name;
      state.init = init;
      states->push_back(std::move(state));
    }
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

// `life`: all that is kept of conditions, and not only since when the pod is bound.
absl::Status ReadConditions(Value value, const Path& at, bool life, Pod* pod) {
  bool resize_seen = false;  // upstream looks at the first of them only
  return ForEachElement(value, at, [&](Value item, const Path& where) {
    Condition condition;
    absl::Status status = ReadField(item, where, [&](Value object, const Path& place) {
      return ReadObject(
          object, place, Field{"type", &condition.type}, Field{"status", &condition.status},
          Field{"reason", &condition.reason, life}, Field{"message", &condition.message, life},
          Field{"lastTransitionTime", IntoTime(&condition.since)});
    });
    if (condition.type == "PodScheduled") {
      pod->scheduled_time = condition.status == "True" ? condition.since : 0;
      pod->unscheduled_reason = std::move(condition.reason);
      pod->unscheduled_message = std::move(condition.message);
    } else if (life && condition.type == "PodResizePending" && !std::exchange(resize_seen, true)) {
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
  const bool times = needs.Has(Needs::kPodTimes);
  const ContainerWants wants{.resources = life, .states = times};
  const auto conditions = [=](Value list, const Path& place) {
    return ReadConditions(list, place, life, pod);
  };
  const auto containers = [=](Value list, const Path& place) {
    return ReadContainerStatuses(list, place, wants, /*init=*/false, &pod->container_statuses,
                                 &parts->container_states);
  };
  const auto init_containers = [=](Value list, const Path& place) {
    return ReadContainerStatuses(list, place, wants, /*init=*/true, &pod->init_container_statuses,
                                 &parts->container_states);
  };
  const auto resources = [pod](Value object, const Path& place) {
    return ReadRequests(object, place, &pod->status_requests);
  };
  return ReadObject(
      value, at, Field{"phase", &pod->phase, scheduling || times || needs.Has(Needs::kClusterPods)},
      Field{"reason", &pod->status_reason, needs.Has(Needs::kPodContainerStates)},
      Field{"startTime", IntoTime(&pod->start_time), times},
      Field{"nominatedNodeName", &pod->nominated_node_name, scheduling},
      Field{"resourceClaimStatuses", &parts->claim_statuses, scheduling},
      Field{"qosClass", &pod->qos_class, life}, Field{"conditions", conditions, life || times},
      Field{"containerStatuses", containers, life || times},
      Field{"initContainerStatuses", init_containers, life || times},
      Field{"resources", resources, life},
      Field{"allocatedResources", &pod->status_allocated, life});
}

}  // namespace outrigger::json
