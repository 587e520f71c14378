#include "apiserver/built_in.h"

namespace outrigger::apiserver {
namespace {

Json Object(const char* version, const char* kind, const char* name) {
  return {{"apiVersion", version}, {"kind", kind}, {"metadata", {{"name", name}}}};
}

Json SystemClass(const char* name, int64_t value, const char* description) {
  Json made = Object("scheduling.k8s.io/v1", "PriorityClass", name);
  made["value"] = value;
  made["description"] = description;
  return made;
}

}  // namespace

std::vector<Json> BuiltInObjects(uint16_t port) {
  std::vector<Json> objects;
  for (const char* name : {"default", "kube-node-lease", "kube-public", "kube-system"}) {
    objects.push_back(Object("v1", "Namespace", name));
  }
  objects.push_back(SystemClass(
      "system-cluster-critical", 2'000'000'000,
      "Used for system critical pods that must run in the cluster, but can be moved to another "
      "node if necessary."));
  objects.push_back(
      SystemClass("system-node-critical", 2'000'001'000,
                  "Used for system critical pods that must not be moved from their current node."));
  Json service = Object("v1", "Service", "kubernetes");
  service["metadata"]["namespace"] = "default";
  service["metadata"]["labels"] = {{"component", "apiserver"}, {"provider", "kubernetes"}};
  service["spec"] = {
      {"clusterIP", "10.0.0.1"},
      {"ports", {{{"name", "https"}, {"port", 443}, {"protocol", "TCP"}, {"targetPort", port}}}}};
  objects.push_back(std::move(service));
  return objects;
}

}  // namespace outrigger::apiserver
