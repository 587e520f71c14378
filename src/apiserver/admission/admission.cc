#include "apiserver/admission/admission.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "apiserver/admission/rules.h"
#include "apiserver/crd/definition.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

using Causes = std::vector<Cause>;
using Defaulting = void (*)(Json* object);
using Checking = void (*)(const Json& object, Causes* causes);
using Comparing = void (*)(const Json& old, const Json& object, Causes* causes);

// What is done for one kind; null: nothing.
struct KindRules {
  const char* group;
  const char* kind;
  Defaulting defaults;
  Checking check;
  Comparing compare;
};

void SetTemplateDefaults(Json* object) {
  if (ValueAt(*object, "spec.template.spec") != nullptr) {
    SetPodSpecDefaults(&(*object)["spec"]["template"]["spec"]);
  }
}

void CheckTemplate(const Json& object, Causes* causes) {
  const Json& labels = PartOf(object, "spec.template.metadata.labels");
  const Json& selector = PartOf(object, "spec.selector");
  if (selector.empty()) {
    causes->push_back(RequiredValue("spec.selector"));
  } else {
    CheckLabelSelector(selector, "spec.selector", causes);
  }
  const Json& wanted = PartOf(selector, "matchLabels");
  bool matches = true;
  for (const auto& [key, value] : wanted.items()) {
    matches &= labels.contains(key) && labels[key] == value;
  }
  // Without a selector, or with an empty one, nothing matches.
  if (selector.empty() || !matches) {
    causes->push_back(InvalidValue("spec.template.metadata.labels",
                                   labels.empty() ? Json() : labels,
                                   "`selector` does not match template `labels`"));
  }
  CheckPodSpec(PartOf(object, "spec.template.spec"), "spec.template.spec", causes);
}

void CheckCount(const Json& object, const char* field, Causes* causes) {
  const Json& count = PartOf(object, field);
  if (count.is_number() && count < 0) {
    causes->push_back(InvalidValue(field, count, "must be greater than or equal to 0"));
  }
}

void CheckReplicas(const Json& object, Causes* causes) {
  CheckCount(object, "spec.replicas", causes);
  CheckTemplate(object, causes);
  const std::string policy = TextAt(object, "spec.template.spec.restartPolicy");
  if (policy == "Never" || policy == "OnFailure") {
    causes->push_back(NotSupportedValue("spec.template.spec.restartPolicy", policy, {"Always"}));
  }
}

void CheckDeployment(const Json& object, Causes* causes) {
  CheckReplicas(object, causes);
  const Json& strategy = PartOf(object, "spec.strategy");
  const std::string type = TextAt(strategy, "type");
  const Json& rolling = PartOf(strategy, "rollingUpdate");
  if (type == "Recreate" && !rolling.empty()) {
    causes->push_back(ForbiddenValue("spec.strategy.rollingUpdate",
                                     "may not be specified when strategy `type` is 'Recreate'"));
  } else if (type != "Recreate" && type != "RollingUpdate") {
    causes->push_back(NotSupportedValue("spec.strategy", strategy, {"Recreate", "RollingUpdate"}));
  }
  const auto is_zero = [&](const char* field) {
    return PartOf(rolling, field) == 0 || PartOf(rolling, field) == "0%";
  };
  if (type == "RollingUpdate" && is_zero("maxSurge") && is_zero("maxUnavailable")) {
    causes->push_back(InvalidValue("spec.strategy.rollingUpdate.maxUnavailable",
                                   rolling["maxUnavailable"], "may not be 0 when `maxSurge` is 0"));
  }
}

void SetNodeDefaults(Json* node) {
  const Json& status = PartOf(*node, "status");
  if (status.contains("capacity") && !status.contains("allocatable")) {
    (*node)["status"]["allocatable"] = status["capacity"];
  }
}

void CheckLease(const Json& lease, Causes* causes) {
  const Json& seconds = PartOf(lease, "spec.leaseDurationSeconds");
  if (seconds.is_number() && seconds <= 0) {
    causes->push_back(InvalidValue("spec.leaseDurationSeconds", seconds, "must be greater than 0"));
  }
}

void CheckEvent(const Json& event, Causes* causes) {
  const std::string namespace_ = TextAt(event, "metadata.namespace");
  const std::string of = TextAt(event, "involvedObject.namespace");
  if (of != namespace_ && !(of.empty() && namespace_ == "default")) {
    causes->push_back(
        InvalidValue("involvedObject.namespace", of, "does not match event.namespace"));
  }
}

// Of events.k8s.io, where more must be there.
void CheckNewEvent(const Json& event, Causes* causes) {
  CheckEvent(event, causes);
  if (TextAt(event, "eventTime").empty()) causes->push_back(RequiredValue("eventTime"));
  if (TextAt(event, "action").empty()) causes->push_back(RequiredValue("action"));
  const std::string type = TextAt(event, "type");
  if (type != "Normal" && type != "Warning") {
    causes->push_back(InvalidValue("type", type, "has invalid value: " + type));
  }
}

void CheckDataKeys(const Json& object, Causes* causes) {
  for (const char* map : {"data", "binaryData"}) {
    for (const auto& [key, value] : PartOf(object, map).items()) {
      const bool is_key = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
        return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' ||
               c == '.';
      });
      if (is_key) continue;
      causes->push_back(InvalidValue(
          fmt::format("{}[{}]", map, key), key,
          "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
          "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "
          "'[-._a-zA-Z0-9]+')"));
    }
  }
}

void KeepSelector(const Json& old, const Json& object, Causes* causes) {
  if (PartOf(old, "spec.selector") == PartOf(object, "spec.selector")) return;
  causes->push_back(
      InvalidValue("spec.selector", PartOf(object, "spec.selector"), "field is immutable"));
}

// A Job that names no selector gets one by its own UID, and its pods the labels.
void SetJobDefaults(Json* job) {
  SetTemplateDefaults(job);
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

void CheckJob(const Json& job, Causes* causes) {
  CheckCount(job, "spec.parallelism", causes);
  CheckCount(job, "spec.completions", causes);
  if (!PartOf(job, "spec").value("manualSelector", false) &&
      PartOf(job, "spec.selector.matchLabels").size() != 1) {
    causes->push_back(InvalidValue("spec.selector", PartOf(job, "spec.selector"),
                                   "`selector` not auto-generated"));
  }
  CheckTemplate(job, causes);
  const std::string policy = TextAt(job, "spec.template.spec.restartPolicy");
  if (policy == "OnFailure" || policy == "Never") return;
  causes->push_back(
      policy.empty() || policy == "Always"
          ? RequiredValue("spec.template.spec.restartPolicy",
                          "valid values: \"OnFailure\", \"Never\"")
          : NotSupportedValue("spec.template.spec.restartPolicy", policy, {"OnFailure", "Never"}));
}

void KeepJob(const Json& old, const Json& job, Causes* causes) {
  KeepSelector(old, job, causes);
  for (const char* field : {"spec.completions", "spec.completionMode"}) {
    if (PartOf(old, field) == PartOf(job, field)) continue;
    causes->push_back(InvalidValue(field, PartOf(job, field), "field is immutable"));
  }
  Json before = PartOf(old, "spec.template");
  Json now = PartOf(job, "spec.template");
  // A Job that is suspended may be given other nodes.
  if (PartOf(old, "spec").value("suspend", false)) {
    for (Json* one : {&before, &now}) {
      for (const char* key : {"nodeSelector", "affinity", "tolerations", "schedulingGates"}) {
        (*one)["spec"].erase(key);
      }
      (*one)["metadata"].erase("labels");
      (*one)["metadata"].erase("annotations");
    }
  }
  if (before != now) causes->push_back(InvalidValue("spec.template", now, "field is immutable"));
}

// Addresses are told apart, and reach nobody.
void SetServiceDefaults(Json* service) {
  Json& spec = (*service)["spec"];
  const std::string type = TextAt(spec, "type");
  if (type == "ExternalName") return;
  if (TextAt(spec, "clusterIP").empty()) {
    static std::atomic<uint32_t> next{10};
    const uint32_t number = next.fetch_add(1);
    spec["clusterIP"] = fmt::format("10.0.{}.{}", number / 250 % 250, number % 250 + 1);
  }
  spec["clusterIPs"] = Json::array({spec["clusterIP"]});
  spec["ipFamilies"] = {"IPv4"};
  spec["ipFamilyPolicy"] = "SingleStack";
  if (!spec.contains("internalTrafficPolicy")) spec["internalTrafficPolicy"] = "Cluster";
  if ((type == "NodePort" || type == "LoadBalancer") && !spec.contains("externalTrafficPolicy")) {
    spec["externalTrafficPolicy"] = "Cluster";
  }
  if (!spec.contains("ports")) return;
  for (Json& port : spec["ports"]) {
    if (!port.contains("targetPort") || port["targetPort"] == 0) port["targetPort"] = port["port"];
  }
}

void SetReplicationControllerDefaults(Json* object) {
  SetTemplateDefaults(object);
  Json& spec = (*object)["spec"];
  const Json& labels = PartOf(spec, "template.metadata.labels");
  if (labels.empty()) return;
  if (!spec.contains("selector")) spec["selector"] = labels;
  if (PartOf(*object, "metadata.labels").empty()) (*object)["metadata"]["labels"] = labels;
}

void SetNetworkPolicyDefaults(Json* policy) {
  Json& spec = (*policy)["spec"];
  if (spec.contains("policyTypes")) return;
  spec["policyTypes"] = {"Ingress"};
  if (spec.contains("egress")) spec["policyTypes"].push_back("Egress");
}

void SetStatefulSetDefaults(Json* set) {
  SetTemplateDefaults(set);
  Json& strategy = (*set)["spec"]["updateStrategy"];
  if (TextAt(strategy, "type") != "RollingUpdate") return;
  Json& rolling = strategy["rollingUpdate"];
  if (!rolling.contains("partition")) rolling["partition"] = 0;
  if (!rolling.contains("maxUnavailable")) rolling["maxUnavailable"] = 1;
}

void SetNameLabel(Json* object) {
  (*object)["metadata"]["labels"]["kubernetes.io/metadata.name"] = (*object)["metadata"]["name"];
}

void SetNamespaceDefaults(Json* object) {
  SetNameLabel(object);
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

void KeepImmutable(const Json& old, const Json& object, Causes* causes) {
  if (!old.value("immutable", false)) return;
  if (!object.value("immutable", false)) {
    causes->push_back(ForbiddenValue("immutable", "field is immutable when `immutable` is set"));
  }
  for (const char* key : {"data", "binaryData"}) {
    if (old.value(key, Json()) == object.value(key, Json())) continue;
    causes->push_back(ForbiddenValue(key, "field is immutable when `immutable` is set"));
  }
}

void KeepSecret(const Json& old, const Json& object, Causes* causes) {
  const std::string type = TextAt(object, "type");
  if (type != TextAt(old, "type")) {
    causes->push_back(InvalidValue("type", type, "field is immutable"));
  }
  KeepImmutable(old, object, causes);
}

void CheckPriorityClass(const Json& object, Causes* causes) {
  constexpr int64_t kHighest = 1'000'000'000;
  const std::string name = TextAt(object, "metadata.name");
  const bool is_system = name == "system-node-critical" || name == "system-cluster-critical";
  if (name.starts_with("system-") && !is_system) {
    causes->push_back(ForbiddenValue("metadata.name",
                                     "priority class names with 'system-' prefix are reserved for "
                                     "system use only. error: " +
                                         name + " is not a known system priority class"));
  }
  const std::string policy = object.value("preemptionPolicy", "");
  if (policy != "Never" && policy != "PreemptLowerPriority") {
    causes->push_back(
        NotSupportedValue("preemptionPolicy", policy, {"PreemptLowerPriority", "Never"}));
  }
  if (!is_system && object.value("value", int64_t{0}) > kHighest) {
    causes->push_back(ForbiddenValue(
        "value", fmt::format("maximum allowed value of a user defined priority is {}", kHighest)));
  }
}

bool IsSystemClass(std::string_view name) {
  return name == "system-node-critical" || name == "system-cluster-critical";
}

void KeepPriorityClass(const Json& old, const Json& object, Causes* causes) {
  if (old.value("value", int64_t{0}) != object.value("value", int64_t{0})) {
    causes->push_back(ForbiddenValue("value", "may not be changed in an update."));
  }
  if (TextAt(old, "preemptionPolicy") != TextAt(object, "preemptionPolicy")) {
    causes->push_back(
        InvalidValue("preemptionPolicy", TextAt(object, "preemptionPolicy"), "field is immutable"));
  }
}

void SetClaimDefaults(Json* claim) {
  (*claim)["status"]["phase"] = "Pending";
}

void SetVolumeDefaults(Json* volume) {
  if (TextAt(*volume, "status.phase").empty()) (*volume)["status"]["phase"] = "Pending";
}

void CheckNodeObject(const Json& node, Causes* causes) {
  CheckTaints(node, causes);
}

void CheckBudget(const Json& budget, Causes* causes) {
  const Json& spec = PartOf(budget, "spec");
  if (spec.contains("minAvailable") && spec.contains("maxUnavailable")) {
    causes->push_back(
        InvalidValue("spec", spec, "minAvailable and maxUnavailable cannot be both set"));
  }
  if (spec.contains("selector")) CheckLabelSelector(spec["selector"], "spec.selector", causes);
}

void KeepSpec(const Json& old, const Json& object, Causes* causes) {
  if (PartOf(old, "spec") == PartOf(object, "spec")) return;
  causes->push_back(InvalidValue("spec", PartOf(object, "spec"), "field is immutable"));
}

void KeepRoleRef(const Json& old, const Json& object, Causes* causes) {
  if (PartOf(old, "roleRef") == PartOf(object, "roleRef")) return;
  causes->push_back(InvalidValue("roleRef", PartOf(object, "roleRef"), "cannot change roleRef"));
}

constexpr KindRules kRules[] = {
    {"", "ConfigMap", nullptr, CheckDataKeys, KeepImmutable},
    {"", "Event", nullptr, CheckEvent, nullptr},
    {"", "Namespace", SetNamespaceDefaults, nullptr, nullptr},
    {"", "Node", SetNodeDefaults, CheckNodeObject, nullptr},
    {"", "PersistentVolume", SetVolumeDefaults, nullptr, nullptr},
    {"", "PersistentVolumeClaim", SetClaimDefaults, nullptr, nullptr},
    {"", "ReplicationController", SetReplicationControllerDefaults, nullptr, nullptr},
    {"", "Secret", SetSecretDefaults, CheckDataKeys, KeepSecret},
    {"", "Service", SetServiceDefaults, nullptr, nullptr},
    {"apps", "DaemonSet", SetTemplateDefaults, CheckReplicas, KeepSelector},
    {"apps", "Deployment", SetTemplateDefaults, CheckDeployment, KeepSelector},
    {"apps", "ReplicaSet", SetTemplateDefaults, CheckReplicas, KeepSelector},
    {"apps", "StatefulSet", SetStatefulSetDefaults, CheckReplicas, KeepSelector},
    {"batch", "Job", SetJobDefaults, CheckJob, KeepJob},
    {"coordination.k8s.io", "Lease", nullptr, CheckLease, nullptr},
    {"events.k8s.io", "Event", nullptr, CheckNewEvent, nullptr},
    {"networking.k8s.io", "NetworkPolicy", SetNetworkPolicyDefaults, nullptr, nullptr},
    {"policy", "PodDisruptionBudget", nullptr, CheckBudget, nullptr},
    {"rbac.authorization.k8s.io", "ClusterRoleBinding", nullptr, nullptr, KeepRoleRef},
    {"rbac.authorization.k8s.io", "RoleBinding", nullptr, nullptr, KeepRoleRef},
    {"resource.k8s.io", "ResourceClaim", nullptr, nullptr, KeepSpec},
    {"scheduling.k8s.io", "PriorityClass", nullptr, CheckPriorityClass, KeepPriorityClass},
};

const KindRules* RulesOf(const KindName& kind) {
  const auto* const found = std::find_if(
      std::begin(kRules), std::end(kRules),
      [&](const KindRules& one) { return kind.kind == one.kind && kind.group == one.group; });
  return found == std::end(kRules) ? nullptr : found;
}

bool IsPod(const KindName& kind) {
  return kind.group.empty() && kind.kind == "Pod";
}

bool IsDefinitionKind(const KindName& kind) {
  return kind.group == "apiextensions.k8s.io" && kind.kind == "CustomResourceDefinition";
}

std::optional<Failure> CheckDefinition(Json* object) {
  SetDefinitionDefaults(object);
  CustomDefinition definition;
  return CustomDefinition::Read(*object, &definition);
}

std::optional<Failure> AsFailure(const KindName& kind, const Json& object, Causes causes) {
  if (causes.empty()) return std::nullopt;
  return Failure::Invalid({kind.group, kind.kind, TextAt(object, "metadata.name")},
                          std::move(causes));
}

}  // namespace

Admission::Admission(Store* store, AdmissionOptions options)
    : options_(options),
      store_(store),
      priority_classes_(store->Open("priorityclasses.scheduling.k8s.io", nullptr)) {}

// The class that a pod names, else the one that is the default, else 0 (plugin Priority).
std::optional<Failure> Admission::SetPriority(Json* pod) const {
  Json& spec = (*pod)["spec"];
  const std::string name = TextAt(spec, "priorityClassName");
  const Subject subject{"", "pods", TextAt(*pod, "metadata.name")};
  StoredPtr chosen;
  if (!name.empty()) {
    chosen = store_->Get(*priority_classes_, {"", name});
    if (chosen == nullptr) {
      return Failure::Forbidden(subject,
                                fmt::format("no PriorityClass with name {} was found", name));
    }
  } else {
    for (const StoredPtr& one : store_->List(*priority_classes_, "").objects) {
      const Json object = one->Parse();
      const bool is_lower = chosen == nullptr || object["value"] < chosen->Parse()["value"];
      if (object.value("globalDefault", false) && is_lower) chosen = one;
    }
  }
  const Json of_class = chosen == nullptr ? Json::object() : chosen->Parse();
  const int64_t value = of_class.value("value", int64_t{0});
  const std::string policy = of_class.value("preemptionPolicy", "PreemptLowerPriority");
  if (spec.contains("priority") && spec["priority"] != value) {
    return Failure::Forbidden(
        subject, fmt::format("the integer value of priority ({}) must not be provided in pod spec; "
                             "priority admission controller computed {} from the given "
                             "PriorityClass name",
                             spec["priority"].get<int64_t>(), value));
  }
  if (spec.contains("preemptionPolicy") && spec["preemptionPolicy"] != policy) {
    return Failure::Forbidden(
        subject, fmt::format("the string value of PreemptionPolicy ({}) must not be provided in "
                             "pod spec; priority admission controller computed {} from the given "
                             "PriorityClass name",
                             spec["preemptionPolicy"].get<std::string>(), policy));
  }
  if (chosen != nullptr) spec["priorityClassName"] = chosen->name.name;
  spec["priority"] = value;
  spec["preemptionPolicy"] = policy;
  return std::nullopt;
}

std::optional<Failure> Admission::CheckDefaultClass(const Json& priority_class) const {
  if (!priority_class.value("globalDefault", false)) return std::nullopt;
  const std::string name = TextAt(priority_class, "metadata.name");
  for (const StoredPtr& one : store_->List(*priority_classes_, "").objects) {
    if (one->name.name == name || !one->Parse().value("globalDefault", false)) continue;
    return Failure::Forbidden({"scheduling.k8s.io", "priorityclasses", name},
                              fmt::format("PriorityClass {} is already marked as default. Only one "
                                          "default can exist",
                                          one->name.name));
  }
  return std::nullopt;
}

std::optional<Failure> Admission::OnDelete(const KindName& kind, const std::string& name) const {
  if (kind == KindName{"scheduling.k8s.io", "PriorityClass"} && IsSystemClass(name)) {
    return Failure::Forbidden({kind.group, "priorityclasses", name},
                              "this is a system priority class and cannot be deleted");
  }
  const bool stays = name == "default" || name == "kube-system" || name == "kube-public";
  if (kind == KindName{"", "Namespace"} && stays) {
    return Failure::Forbidden({"", "namespaces", name}, "this namespace may not be deleted");
  }
  return std::nullopt;
}

std::optional<Failure> Admission::OnCreate(const KindName& kind, Json* object,
                                           std::vector<std::string>* /*warnings*/) const {
  Causes causes;
  if (IsPod(kind)) {
    Json& spec = (*object)["spec"];
    SetPodDefaults(&spec);
    if (auto failure = SetPriority(object)) return failure;
    AddDefaultTolerations(&spec);
    if (options_.gangs) SetGangParts(object);
    (*object)["status"] = {{"phase", "Pending"}, {"qosClass", QosClassOf(*object)}};
    SetGatedCondition(object);
    CheckPodSpec(spec, "spec", &causes);
    return AsFailure(kind, *object, std::move(causes));
  }
  if (IsDefinitionKind(kind)) return CheckDefinition(object);
  if (kind == KindName{"scheduling.k8s.io", "PriorityClass"}) {
    if (auto failure = CheckDefaultClass(*object)) return failure;
  }
  const KindRules* const rules = RulesOf(kind);
  if (rules == nullptr) return std::nullopt;
  if (rules->defaults != nullptr) rules->defaults(object);
  if (rules->check != nullptr) rules->check(*object, &causes);
  return AsFailure(kind, *object, std::move(causes));
}

std::optional<Failure> Admission::OnUpdate(const KindName& kind, Part part, const Json& old,
                                           Json* object,
                                           std::vector<std::string>* /*warnings*/) const {
  if (kind == KindName{"", "Node"}) SetNodeDefaults(object);
  if (kind == KindName{"", "Namespace"}) SetNameLabel(object);
  Causes causes;
  if (part == Part::kStatus && IsPod(kind)) {
    const std::string qos = TextAt(*object, "status.qosClass");
    if (qos != TextAt(old, "status.qosClass")) {
      causes.push_back(InvalidValue("status.qosClass", qos, "field is immutable"));
    }
    return AsFailure(kind, *object, std::move(causes));
  }
  if (part != Part::kMain) return std::nullopt;
  if (kind == KindName{"scheduling.k8s.io", "PriorityClass"}) {
    if (auto failure = CheckDefaultClass(*object)) return failure;
  }
  if (IsPod(kind)) {
    Json& spec = (*object)["spec"];
    SetPodDefaults(&spec);
    AddDefaultTolerations(&spec);
    for (const char* key : {"priority", "preemptionPolicy"}) {
      if (!spec.contains(key) && old["spec"].contains(key)) spec[key] = old["spec"][key];
    }
    CheckPodSpec(spec, "spec", &causes);
    if (causes.empty()) CheckPodUpdate(old, *object, &causes);
    return AsFailure(kind, *object, std::move(causes));
  }
  if (IsDefinitionKind(kind)) return CheckDefinition(object);
  const KindRules* const rules = RulesOf(kind);
  if (rules == nullptr) return std::nullopt;
  if (rules->defaults == SetTemplateDefaults) SetTemplateDefaults(object);
  if (rules->check != nullptr) rules->check(*object, &causes);
  if (rules->compare != nullptr) rules->compare(old, *object, &causes);
  return AsFailure(kind, *object, std::move(causes));
}

}  // namespace outrigger::apiserver
