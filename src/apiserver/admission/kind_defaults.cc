// Defaults that depend on other fields, of all kinds but pods.

#include <atomic>

#include "absl/strings/escaping.h"
#include "apiserver/admission/rules.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

void SetNodeDefaults(Json* node) {
  const Json& status = PartOf(*node, "status");
  if (status.contains("capacity") && !status.contains("allocatable")) {
    (*node)["status"]["allocatable"] = status["capacity"];
  }
}

void SetNameLabel(Json* object) {
  (*object)["metadata"]["labels"]["kubernetes.io/metadata.name"] = (*object)["metadata"]["name"];
}

void SetNamespaceDefaults(Json* object) {
  (*object)["spec"]["finalizers"] = {"kubernetes"};
  (*object)["status"] = {{"phase", "Active"}};
}

void SetSecretDefaults(Json* secret) {
  const auto texts = secret->find("stringData");
  if (texts == secret->end()) return;
  for (const auto& [key, value] : texts->items()) {
    (*secret)["data"][key] = absl::Base64Escape(value.get<std::string>());
  }
  secret->erase("stringData");
}

// A Job that names no selector gets one by its own UID, and its pods the labels.
void SetJobDefaults(Json* job) {
  Json& spec = (*job)["spec"];
  // The type table has given it one pod at once, where it says nothing.
  if (!spec.contains("completions") && spec.value("parallelism", 1) == 1) spec["completions"] = 1;
  if (!spec.contains("backoffLimit")) {
    constexpr int64_t kOfEachIndex = 2147483647;
    spec["backoffLimit"] = spec.contains("backoffLimitPerIndex") ? kOfEachIndex : 6;
  }
  if (!spec.contains("podReplacementPolicy")) {
    spec["podReplacementPolicy"] =
        spec.contains("podFailurePolicy") ? "Failed" : "TerminatingOrFailed";
  }
  if (spec.value("manualSelector", false)) return;
  const Json& metadata = (*job)["metadata"];
  const std::string uid = TextAt(metadata, "uid");
  Json& labels = spec["template"]["metadata"]["labels"];
  labels["controller-uid"] = labels["batch.kubernetes.io/controller-uid"] = uid;
  labels["job-name"] = labels["batch.kubernetes.io/job-name"] = metadata["name"];
  if (PartOf(metadata, "labels").empty()) (*job)["metadata"]["labels"] = labels;
  spec["selector"]["matchLabels"]["batch.kubernetes.io/controller-uid"] = uid;
}

void SetTemplateDefaults(Json* object) {
  if (ValueAt(*object, "spec.template.spec") == nullptr) return;
  SetPullPolicies(&(*object)["spec"]["template"]["spec"]);
}

void SetStatefulSetDefaults(Json* set) {
  Json& strategy = (*set)["spec"]["updateStrategy"];
  if (TextAt(strategy, "type") != "RollingUpdate") return;
  Json& rolling = strategy["rollingUpdate"];
  if (!rolling.contains("partition")) rolling["partition"] = 0;
  if (!rolling.contains("maxUnavailable")) rolling["maxUnavailable"] = 1;
}

// Addresses are told apart, and reach nobody.
void SetServiceDefaults(Json* service) {
  Json& spec = (*service)["spec"];
  if (TextAt(spec, "type") == "ExternalName") return;
  if (TextAt(spec, "clusterIP").empty()) {
    static std::atomic<uint32_t> next{10};
    const uint32_t number = next.fetch_add(1);
    spec["clusterIP"] = fmt::format("10.0.{}.{}", number / 250 % 250, number % 250 + 1);
  }
  spec["clusterIPs"] = Json::array({spec["clusterIP"]});
  if (!spec.contains("ports")) return;
  for (Json& port : spec["ports"]) {
    if (!port.contains("targetPort") || port["targetPort"] == 0) port["targetPort"] = port["port"];
  }
}

void SetPendingPhase(Json* object) {
  if (TextAt(*object, "status.phase").empty()) (*object)["status"]["phase"] = "Pending";
}

struct KindDefaults {
  std::string_view kind;
  void (*set)(Json* object);
  bool standing = false;
};

constexpr KindDefaults kKindDefaults[] = {
    {"Namespace", SetNameLabel, /*standing=*/true},
    {"Namespace", SetNamespaceDefaults},
    {"Node", SetNodeDefaults, /*standing=*/true},
    {"PersistentVolume", SetPendingPhase},
    {"PersistentVolumeClaim", SetPendingPhase},
    {"Secret", SetSecretDefaults, /*standing=*/true},
    {"Service", SetServiceDefaults},
    {"apps/DaemonSet", SetTemplateDefaults, /*standing=*/true},
    {"apps/Deployment", SetTemplateDefaults, /*standing=*/true},
    {"apps/ReplicaSet", SetTemplateDefaults, /*standing=*/true},
    {"apps/StatefulSet", SetTemplateDefaults, /*standing=*/true},
    {"apps/StatefulSet", SetStatefulSetDefaults},
    {"batch/Job", SetTemplateDefaults, /*standing=*/true},
    {"batch/Job", SetJobDefaults},
};

}  // namespace

void SetKindDefaults(std::string_view kind, Json* object) {
  for (const KindDefaults& one : kKindDefaults) {
    if (one.kind == kind) one.set(object);
  }
}

void SetStandingDefaults(std::string_view kind, Json* object) {
  for (const KindDefaults& one : kKindDefaults) {
    if (one.standing && one.kind == kind) one.set(object);
  }
}

}  // namespace outrigger::apiserver
