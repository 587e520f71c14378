#pragma once

#include <string>
#include <vector>

#include "console/program_testing.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {

/// A List of objects, as kubectl prints one.
inline std::string ListOf(const std::vector<nlohmann::json>& items) {
  return nlohmann::json{{"apiVersion", "v1"}, {"kind", "List"}, {"items", items}}.dump();
}

inline nlohmann::json DeviceObject(const std::string& kind, const std::string& name,
                                   nlohmann::json spec) {
  nlohmann::json object = {{"apiVersion", "devmgmtproto.k8s.io/v1alpha1"},
                           {"kind", kind},
                           {"metadata", {{"name", name}}},
                           {"spec", std::move(spec)}};
  if (kind.ends_with("Claim")) object["metadata"]["namespace"] = "default";
  return object;
}

inline nlohmann::json CountingPool(const std::string& name, const std::string& node, int count) {
  return DeviceObject("DevicePool", name,
                      {{"nodeName", node}, {"driver", "example.com-foozer"}, {"count", count}});
}

inline nlohmann::json CountingClaim(const std::string& name, int count) {
  return DeviceObject("DeviceClaim", name, {{"deviceClass", "foozer"}, {"minDeviceCount", count}});
}

/// A claim that holds `count` devices of a pool.
inline nlohmann::json Holding(nlohmann::json claim, const std::string& pool, int count) {
  claim["status"] = {{"allocations", {{{"devicePoolName", pool}, {"deviceCount", count}}}},
                     {"podNames", {"job"}}};
  return claim;
}

inline nlohmann::json NodeNamed(const std::string& name) {
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", name}, {"labels", {{"kubernetes.io/hostname", name}}}}},
          {"status", {{"allocatable", {{"cpu", "4"}, {"pods", "110"}}}}}};
}

/// A pod that names claims in its annotation.
inline nlohmann::json PodWith(const std::string& name, const nlohmann::json& claims) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", name},
            {"namespace", "default"},
            {"annotations", {{"devmgmtproto.k8s.io/device-claims", claims.dump()}}}}},
          {"spec", nlohmann::json::object()}};
}

/// The pod as one that asks for cpus, on a node unless that is empty.
inline nlohmann::json Asking(nlohmann::json pod, const std::string& cpu,
                             const std::string& node = "") {
  pod["spec"]["containers"] = {{{"name", "c"}, {"resources", {{"requests", {{"cpu", cpu}}}}}}};
  if (!node.empty()) pod["spec"]["nodeName"] = node;
  return pod;
}

/// `outrigger schedule` on these objects, with further arguments.
inline testing::Ran ScheduleOn(const std::vector<nlohmann::json>& objects,
                               std::vector<std::string> arguments = {},
                               const Environment& environment = {}) {
  const testing::TempFile file(ListOf(objects), "objects.json");
  arguments.insert(arguments.begin(), {"schedule", "-f", file.path()});
  return testing::RunProgram(arguments, environment);
}

}  // namespace outrigger::cli
