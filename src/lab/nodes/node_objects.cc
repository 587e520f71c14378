#include "lab/nodes/node_objects.h"

#include <array>

#include "fmt/format.h"
#include "kube/json_text.h"
#include "nlohmann/json.hpp"

namespace outrigger::lab {
namespace {

using Json = nlohmann::json;

constexpr int kLeaseSeconds = 40;  // a kubelet's
constexpr const char* kKubeletVersion = "v1.37.2";

struct ConditionRow {
  const char* type;
  const char* status;
  const char* reason;
  const char* message;
};
constexpr std::array<ConditionRow, 4> kNodeConditions = {{
    {"MemoryPressure", "False", "KubeletHasSufficientMemory",
     "kubelet has sufficient memory available"},
    {"DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"},
    {"PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"},
    {"Ready", "True", "KubeletReady", "kubelet is posting ready status"},
}};

Json ConditionsOfNode(WallTime since, WallTime now) {
  Json conditions = Json::array();
  for (const ConditionRow& row : kNodeConditions) {
    conditions.push_back({{"type", row.type},
                          {"status", row.status},
                          {"reason", row.reason},
                          {"message", row.message},
                          {"lastTransitionTime", kube::WholeTime(since)},
                          {"lastHeartbeatTime", kube::WholeTime(now)}});
  }
  return conditions;
}

Json LabelsOfNode(const SimulatedNode& node) {
  Json labels = Json::object();
  for (const auto& [key, value] : node.labels) labels[key] = value;
  return labels;
}

Json StatusOfNode(const SimulatedNode& node, size_t index, WallTime since) {
  Json amounts = Json::object();
  for (const auto& [name, amount] : node.allocatable) amounts[name] = amount.ToString();
  return {{"capacity", amounts},
          {"allocatable", amounts},
          {"conditions", ConditionsOfNode(since, since)},
          {"addresses",
           {{{"type", "InternalIP"}, {"address", AddressOfNode(index)}},
            {{"type", "Hostname"}, {"address", node.name}}}},
          {"nodeInfo",
           {{"machineID", ""},
            {"systemUUID", ""},
            {"bootID", ""},
            {"kernelVersion", "simulated"},
            {"osImage", "simulated"},
            {"containerRuntimeVersion", "lab://1"},
            {"kubeletVersion", kKubeletVersion},
            {"kubeProxyVersion", ""},
            {"operatingSystem", "linux"},
            {"architecture", "amd64"}}}};
}

}  // namespace

std::string AddressOfNode(size_t index) {
  const size_t number = index + 1;
  return fmt::format("172.{}.{}.{}", 16 + (number >> 16U) % 16, (number >> 8U) & 255U,
                     number & 255U);
}

std::string NodeJson(const SimulatedNode& node, size_t index, WallTime ready_since) {
  return Json{{"apiVersion", "v1"},
              {"kind", "Node"},
              {"metadata", {{"name", node.name}, {"labels", LabelsOfNode(node)}}},
              {"status", StatusOfNode(node, index, ready_since)}}
      .dump();
}

std::string NodeHeartbeat(WallTime ready_since, WallTime now) {
  return Json{{"status", {{"conditions", ConditionsOfNode(ready_since, now)}}}}.dump();
}

std::string LeaseJson(std::string_view node, std::string_view node_uid, WallTime now) {
  Json metadata = {{"name", node}, {"namespace", "kube-node-lease"}};
  if (!node_uid.empty()) {
    metadata["ownerReferences"] = {
        {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}, {"uid", node_uid}}};
  }
  return Json{{"apiVersion", "coordination.k8s.io/v1"},
              {"kind", "Lease"},
              {"metadata", metadata},
              {"spec",
               {{"holderIdentity", node},
                {"leaseDurationSeconds", kLeaseSeconds},
                {"renewTime", kube::MicroTime(now)}}}}
      .dump();
}

}  // namespace outrigger::lab
