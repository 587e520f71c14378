#include "lab/nodes/node_objects.h"

#include <array>
#include <utility>

#include "fmt/format.h"
#include "kube/json_text.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/text.h"
#include "outrigger/k8s/label_syntax.h"
#include "outrigger/k8s/quantity.h"

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

absl::Status RefuseNode(const std::string& name, std::string_view what) {
  return absl::InvalidArgumentError(fmt::format("Node \"{}\": {}", Printable(name), what));
}

// What scheduling sees of a Node, beside labels and amounts.
std::string MoreOfNode(const Json& node) {
  Json more = Json::object();
  for (const char* const path : {"/metadata/annotations", "/spec/taints", "/spec/unschedulable"}) {
    const Json::json_pointer at(path);
    if (node.contains(at)) more[at] = node[at];
  }
  return more.dump();
}

absl::Status SetAmounts(const Json& node, SimulatedNode* to) {
  static const Json::json_pointer kAllocatable("/status/allocatable");
  const Json amounts =
      node.value(kAllocatable, node.value("/status/capacity"_json_pointer, Json::object()));
  for (const auto& [name, value] : amounts.items()) {
    const auto amount =
        Quantity::Parse(value.is_string() ? value.get<std::string>() : value.dump());
    if (!amount.ok()) {
      return RefuseNode(to->name, fmt::format("status.allocatable.{}: {}", Printable(name),
                                              std::string(amount.status().message())));
    }
    to->allocatable.Set(name, *amount);
  }
  return amounts.empty() ? RefuseNode(to->name, "status.allocatable is missing") : absl::OkStatus();
}

absl::Status AddNode(const Json& node, std::vector<SimulatedNode>* nodes) {
  SimulatedNode read{.name = kube::TextAt(node, "/metadata/name")};
  if (!IsDnsSubdomain(read.name)) return RefuseNode(read.name, "metadata.name is not accepted");
  const Json labels = node.value("/metadata/labels"_json_pointer, Json::object());
  for (const auto& [key, value] : labels.items()) {
    if (!value.is_string()) return RefuseNode(read.name, "metadata.labels have to be texts");
    read.labels.emplace_back(key, value.get<std::string>());
  }
  read.labels.emplace_back(kSimulatedLabel, "true");
  read.more = MoreOfNode(node);
  absl::Status status = SetAmounts(node, &read);
  if (status.ok()) nodes->push_back(std::move(read));
  return status;
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

absl::Status AddNodes(const std::string& json, std::vector<SimulatedNode>* nodes) {
  const Json object = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  const std::string kind = kube::TextAt(object, "/kind");
  if (kind == "Node") return AddNode(object, nodes);
  const bool is_list = kind == "List" || kind == "NodeList";
  if (!is_list || !object.contains("items") || !object["items"].is_array()) {
    return absl::InvalidArgumentError(
        fmt::format("kind \"{}\" is not accepted; expected Node, or a List", Printable(kind)));
  }
  for (const Json& item : object["items"]) {
    // Items of a NodeList that a server answers have no kind.
    const std::string item_kind = kube::TextAt(item, "/kind");
    if (!item_kind.empty() && item_kind != "Node") continue;
    if (absl::Status status = AddNode(item, nodes); !status.ok()) return status;
  }
  return absl::OkStatus();
}

std::string NodeJson(const SimulatedNode& node, size_t index, WallTime ready_since) {
  Json object = {{"apiVersion", "v1"},
                 {"kind", "Node"},
                 {"metadata", {{"name", node.name}, {"labels", LabelsOfNode(node)}}},
                 {"status", StatusOfNode(node, index, ready_since)}};
  if (!node.more.empty()) object.merge_patch(Json::parse(node.more));
  return object.dump();
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
