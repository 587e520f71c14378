#include "dump.h"

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

Json NodeJson(const Node& node) {
  Json taints = Json::array();
  for (const Taint& taint : node.taints) {
    taints.push_back(
        {{"key", taint.key}, {"value", taint.value}, {"effect", EffectName(taint.effect)}});
  }
  return {{"name", node.name},          {"resourceVersion", node.resource_version},
          {"labels", Map(node.labels)}, {"unschedulable", node.unschedulable},
          {"taints", taints},           {"allocatable", Amounts(node.allocatable)}};
}

Json PodJson(const Pod& pod) {
  return {{"namespace", pod.namespace_},
          {"name", pod.name},
          {"uid", pod.uid},
          {"resourceVersion", pod.resource_version},
          {"nodeName", pod.node_name},
          {"phase", pod.phase},
          {"priority", pod.priority},
          {"labels", Map(pod.labels)}};
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
  snapshot.ForEachPod(
      [&](const cluster::PodPtr& pod) { dump["pods"].push_back(PodJson(pod->Unpack())); });
  return dump.dump();
}

}  // namespace outrigger::kube_follow
