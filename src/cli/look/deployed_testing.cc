#include "cli/look/deployed_testing.h"

#include "fmt/format.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli::look {
namespace {

using Json = nlohmann::json;

Json ContainerOf(const std::string& text) {
  const size_t colon = text.find(':');
  const std::string agents = text.substr(0, colon);
  const int port = std::stoi(text.substr(colon + 1));
  const Json args = agents.starts_with("annotate-")
                        ? Json::array({"annotate", agents.substr(agents.find('-') + 1)})
                        : Json::array({"serve", "--agents=" + agents});
  return {
      {"name", "c"},
      {"args", args},
      {"ports", Json::array({{{"name", fmt::format("admin-{}", port)}, {"containerPort", port}}})}};
}

Json PodOf(const DeployedPod& pod) {
  Json containers = Json::array();
  for (const std::string& text : pod.containers) containers.push_back(ContainerOf(text));
  Json json = {{"metadata",
                {{"name", pod.name},
                 {"labels",
                  {{"app.kubernetes.io/name", "outrigger"},
                   {"app.kubernetes.io/instance", pod.deployment}}}}},
               {"spec", {{pod.is_sidecar ? "initContainers" : "containers", containers}}},
               {"status", {{"phase", pod.phase}}}};
  if (pod.is_sidecar) {
    json["spec"]["containers"] = Json::array({{{"name", "kube-scheduler"}}});
  }
  if (pod.is_deleted) json["metadata"]["deletionTimestamp"] = "2026-11-30T12:00:00Z";
  return json;
}

std::string ListOf(const Json& items) {
  return Json({{"metadata", {{"resourceVersion", "7"}}}, {"items", items}}).dump();
}

}  // namespace

absl::StatusOr<kube::ApiResponse> DeployedAgents::Call(const kube::ApiRequest& request) {
  Json items = Json::array();
  if (request.path == fmt::format("/api/v1/namespaces/{}/pods", name_space)) {
    for (const DeployedPod& pod : pods) items.push_back(PodOf(pod));
    return kube::ApiResponse{200, ListOf(items)};
  }
  if (!request.path.ends_with("/leases")) return kube::ApiResponse{200, ListOf(items)};
  if (!lease_error.ok()) return lease_error;
  for (const auto& [name, holder] : leases) {
    const size_t slash = name.find('/');
    if (request.path !=
        fmt::format("/apis/coordination.k8s.io/v1/namespaces/{}/leases", name.substr(0, slash))) {
      continue;
    }
    items.push_back(
        {{"metadata", {{"name", name.substr(slash + 1)}}}, {"spec", {{"holderIdentity", holder}}}});
  }
  return kube::ApiResponse{200, ListOf(items)};
}

absl::Status DeployedAgents::Stream(const kube::ApiRequest& /*request*/, kube::ByteSink /*sink*/) {
  return absl::InternalError("not asked for");
}

}  // namespace outrigger::cli::look
