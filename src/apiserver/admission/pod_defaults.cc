#include <algorithm>
#include <string>

#include "apiserver/admission/rules.h"
#include "apiserver/select/field_path.h"
#include "outrigger/k8s/quantity.h"

namespace outrigger::apiserver {
namespace {

constexpr const char* kContainerLists[] = {"containers", "initContainers"};

// Always for the tag latest, or none.
const char* PullPolicyOf(const std::string& image) {
  if (image.find('@') != image.npos) return "IfNotPresent";
  const size_t slash = image.rfind('/');
  const size_t colon = image.find(':', slash == image.npos ? 0 : slash);
  if (colon == image.npos) return "Always";
  return image.substr(colon + 1) == "latest" ? "Always" : "IfNotPresent";
}

void SetOwnDefaults(bool host_network, Json* container) {
  const Json limits = PartOf(*container, "resources.limits");
  for (const auto& [name, quantity] : limits.items()) {
    Json& requests = (*container)["resources"]["requests"];
    if (!requests.contains(name)) requests[name] = quantity;
  }
  if (!host_network || !container->contains("ports")) return;
  for (Json& port : (*container)["ports"]) {
    if (!port.contains("hostPort")) port["hostPort"] = port["containerPort"];
  }
}

bool Tolerates(const Json& toleration, const char* key) {
  const std::string own = TextAt(toleration, "key");
  const std::string effect = TextAt(toleration, "effect");
  return (own == key || own.empty()) && (effect == "NoExecute" || effect.empty());
}

bool IsPositive(const Json& quantity) {
  const auto parsed = Quantity::Parse(quantity.get<std::string>());
  return parsed.ok() && *parsed > Quantity();
}

// Whether a container is as Guaranteed wants it, and whether it asks for cpu or memory at all.
struct Asked {
  bool guaranteed = true;
  bool any = false;
};

Asked AskedBy(const Json& container) {
  Asked asked;
  const Json& requests = PartOf(container, "resources.requests");
  const Json& limits = PartOf(container, "resources.limits");
  for (const char* name : {"cpu", "memory"}) {
    const bool requested = requests.contains(name) && IsPositive(requests[name]);
    const bool limited = limits.contains(name) && IsPositive(limits[name]);
    asked.any |= requested || limited;
    asked.guaranteed &= limited && (!requested || requests[name] == limits[name]);
  }
  return asked;
}

}  // namespace

const Json& PartOf(const Json& object, std::string_view path) {
  static const Json kNothing = Json::object();
  const Json* const found = ValueAt(object, path);
  return found == nullptr ? kNothing : *found;
}

void SetPullPolicies(Json* spec) {
  for (const char* list : kContainerLists) {
    if (!spec->contains(list)) continue;
    for (Json& container : (*spec)[list]) {
      if (container.contains("imagePullPolicy")) continue;
      container["imagePullPolicy"] = PullPolicyOf(TextAt(container, "image"));
    }
  }
}

void SetPodDefaults(Json* spec) {
  SetPullPolicies(spec);
  const bool host_network = IsTrueAt(*spec, "hostNetwork");
  for (const char* list : kContainerLists) {
    if (!spec->contains(list)) continue;
    for (Json& container : (*spec)[list]) SetOwnDefaults(host_network, &container);
  }
}

void AddDefaultTolerations(Json* spec) {
  for (const char* key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    const Json& now = PartOf(*spec, "tolerations");
    const bool has =
        std::any_of(now.begin(), now.end(), [&](const Json& one) { return Tolerates(one, key); });
    if (has) continue;
    (*spec)["tolerations"].push_back({{"key", key},
                                      {"operator", "Exists"},
                                      {"effect", "NoExecute"},
                                      {"tolerationSeconds", 300}});
  }
}

std::string QosClassOf(const Json& pod) {
  Asked all;
  for (const char* list : {"spec.containers", "spec.initContainers"}) {
    for (const Json& container : PartOf(pod, list)) {
      const Asked asked = AskedBy(container);
      all.any |= asked.any;
      all.guaranteed &= asked.guaranteed;
    }
  }
  if (!all.any) return "BestEffort";
  return all.guaranteed ? "Guaranteed" : "Burstable";
}

void SetGatedCondition(Json* pod) {
  if (PartOf(*pod, "spec.schedulingGates").empty()) return;
  (*pod)["status"]["conditions"] = {
      {{"type", "PodScheduled"},
       {"status", "False"},
       {"lastProbeTime", nullptr},
       {"lastTransitionTime", PartOf(*pod, "metadata.creationTimestamp")},
       {"reason", "SchedulingGated"},
       {"message", "Scheduling is blocked due to non-empty scheduling gates"}}};
}

}  // namespace outrigger::apiserver
