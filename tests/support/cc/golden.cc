#include "golden.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace outrigger::testing {
namespace {

using nlohmann::json;

std::string TextAt(const json& object, const char* pointer) {
  const json::json_pointer at(pointer);
  return object.contains(at) && object[at].is_string() ? object[at].get<std::string>() : "";
}

StringMap MapAt(const json& object, const char* pointer) {
  StringMap map;
  const json::json_pointer at(pointer);
  if (!object.contains(at)) return map;
  for (const auto& [key, value] : object[at].items()) map.Set(key, value.get<std::string>());
  return map;
}

ResourceList ResourcesAt(const json& object, const char* pointer) {
  ResourceList list;
  const json::json_pointer at(pointer);
  if (!object.contains(at)) return list;
  for (const auto& [key, value] : object[at].items()) {
    const auto quantity =
        Quantity::Parse(value.is_string() ? value.get<std::string>() : value.dump());
    if (quantity.ok()) list.Set(key, *quantity);
  }
  return list;
}

std::vector<Container> ContainersAt(const json& object, const char* pointer) {
  std::vector<Container> containers;
  const json::json_pointer at(pointer);
  if (!object.contains(at)) return containers;
  for (const json& item : object[at]) {
    containers.push_back({.name = TextAt(item, "/name"),
                          .requests = ResourcesAt(item, "/resources/requests"),
                          .limits = ResourcesAt(item, "/resources/limits"),
                          .restart_always = TextAt(item, "/restartPolicy") == "Always"});
  }
  return containers;
}

std::vector<ContainerStatus> StatusesAt(const json& object, const char* pointer) {
  std::vector<ContainerStatus> statuses;
  const json::json_pointer at(pointer);
  if (!object.contains(at)) return statuses;
  for (const json& item : object[at]) {
    if (!item.contains("resources") && !item.contains("allocatedResources")) continue;
    ContainerStatus& status = statuses.emplace_back();
    status.name = TextAt(item, "/name");
    if (item.contains("resources")) status.requests = ResourcesAt(item, "/resources/requests");
    status.allocated = ResourcesAt(item, "/allocatedResources");
  }
  return statuses;
}

bool ResizeIsInfeasible(const json& object) {
  const json::json_pointer at("/status/conditions");
  if (!object.contains(at)) return false;
  for (const json& item : object[at]) {
    if (item.at("type") == "PodResizePending") return item.at("reason") == "Infeasible";
  }
  return false;
}

}  // namespace

json LoadGolden(std::string_view name) {
  const std::string path = std::string(OUTRIGGER_TEST_DATA "/golden/") + std::string(name);
  std::ifstream file(path);
  json table = json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (table.is_discarded()) {
    std::fprintf(stderr, "golden table %s is missing or broken\n", path.c_str());
    std::abort();
  }
  return table;
}

Pod PodFromJson(const json& object) {
  Pod pod;
  pod.name = TextAt(object, "/metadata/name");
  pod.namespace_ = TextAt(object, "/metadata/namespace");
  pod.uid = TextAt(object, "/metadata/uid");
  pod.labels = MapAt(object, "/metadata/labels");
  pod.annotations = MapAt(object, "/metadata/annotations");
  pod.containers = ContainersAt(object, "/spec/containers");
  pod.init_containers = ContainersAt(object, "/spec/initContainers");
  pod.overhead = ResourcesAt(object, "/spec/overhead");
  if (object.contains(json::json_pointer("/spec/resources/requests"))) {
    pod.pod_requests = ResourcesAt(object, "/spec/resources/requests");
  }
  pod.container_statuses = StatusesAt(object, "/status/containerStatuses");
  pod.init_container_statuses = StatusesAt(object, "/status/initContainerStatuses");
  if (object.contains(json::json_pointer("/status/resources"))) {
    pod.status_requests = ResourcesAt(object, "/status/resources/requests");
  }
  pod.status_allocated = ResourcesAt(object, "/status/allocatedResources");
  pod.resize_infeasible = ResizeIsInfeasible(object);
  return pod;
}

Node NodeFromJson(const json& object) {
  Node node;
  node.name = TextAt(object, "/metadata/name");
  node.labels = MapAt(object, "/metadata/labels");
  node.annotations = MapAt(object, "/metadata/annotations");
  node.allocatable = ResourcesAt(object, "/status/allocatable");
  node.capacity = ResourcesAt(object, "/status/capacity");
  return node;
}

}  // namespace outrigger::testing
