#include "dump.h"

#include <optional>

#include "nlohmann/json.hpp"

namespace outrigger::kube_follow {
namespace {

using Json = nlohmann::json;

Json Map(const StringMap& map) {
  Json json = Json::object();
  for (const auto& [key, value] : map) json[key] = value;
  return json;
}

Json Amounts(const ResourceList& list) {
  Json json = Json::object();
  for (const ResourceList::Entry& entry : list) json[entry.name] = entry.quantity.ToString();
  return json;
}

const char* EffectName(TaintEffect effect) {
  switch (effect) {
    case TaintEffect::kNoSchedule:
      return "NoSchedule";
    case TaintEffect::kPreferNoSchedule:
      return "PreferNoSchedule";
    case TaintEffect::kNoExecute:
      return "NoExecute";
  }
  return "";
}

const char* StatusName(ConditionStatus status) {
  switch (status) {
    case ConditionStatus::kTrue:
      return "True";
    case ConditionStatus::kFalse:
      return "False";
    case ConditionStatus::kUnknown:
      return "Unknown";
  }
  return "";
}

Json EndJson(const std::optional<ContainerEnd>& end) {
  if (!end.has_value()) return nullptr;
  return {{"exitCode", end->exit_code},
          {"reason", end->reason},
          {"started", end->started},
          {"finished", end->finished}};
}

Json StateJson(const ContainerState& state) {
  return {{"name", state.name},
          {"init", state.init},
          {"restarts", state.restarts},
          {"runningSince", state.running_since},
          {"waiting", state.waiting_reason},
          {"end", EndJson(state.end)},
          {"lastEnd", EndJson(state.last_end)}};
}

Json NodeJson(const Node& node) {
  Json addresses = Json::array();
  for (const NodeAddress& address : node.addresses) {
    addresses.push_back({{"type", address.type}, {"address", address.address}});
  }
  Json taints = Json::array();
  for (const Taint& taint : node.taints) {
    taints.push_back(
        {{"key", taint.key}, {"value", taint.value}, {"effect", EffectName(taint.effect)}});
  }
  return {{"name", node.name},          {"resourceVersion", node.resource_version},
          {"labels", Map(node.labels)}, {"unschedulable", node.unschedulable},
          {"taints", taints},           {"allocatable", Amounts(node.allocatable)},
          {"addresses", addresses},     {"ready", StatusName(node.ready)}};
}

// The times and states as agents read them, without unpacking the pod.
Json PodJson(const cluster::PodRecord& record) {
  const Pod pod = record.Unpack();
  const cluster::PodTimes times = record.times();
  Json states = Json::array();
  record.ForEachContainerState(
      [&states](const ContainerState& state) { states.push_back(StateJson(state)); });
  return {{"namespace", pod.namespace_},
          {"name", pod.name},
          {"uid", pod.uid},
          {"resourceVersion", pod.resource_version},
          {"nodeName", pod.node_name},
          {"phase", pod.phase},
          {"priority", pod.priority},
          {"labels", Map(pod.labels)},
          {"created", times.creation},
          {"scheduled", times.scheduled},
          {"started", times.start},
          {"ended", times.end},
          {"reason", record.status_reason()},
          {"states", states}};
}

}  // namespace

std::string Dump(const cluster::Snapshot& snapshot) {
  Json dump = {{"nodes", Json::array()}, {"pods", Json::array()}, {"requested", Json::object()}};
  for (size_t i = 0; i < snapshot.node_slots(); ++i) {
    const cluster::NodeState* state = snapshot.NodeAt(i);
    if (state == nullptr) continue;
    dump["nodes"].push_back(NodeJson(*state->node));
    dump["requested"][state->node->name] = Amounts(state->requested);
  }
  snapshot.ForEachPod([&](const cluster::PodPtr& pod) { dump["pods"].push_back(PodJson(*pod)); });
  return dump.dump();
}

}  // namespace outrigger::kube_follow
