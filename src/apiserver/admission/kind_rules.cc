// The rules of fields as one table, as far as a scheduler or a controller here reads the fields.

#include <algorithm>
#include <set>

#include "absl/strings/str_split.h"
#include "apiserver/admission/rules.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"
#include "outrigger/k8s/label_syntax.h"
#include "outrigger/k8s/quantity.h"
#include "outrigger/k8s/selector.h"

namespace outrigger::apiserver {
namespace {

// A field that a rule is about: null where it is absent.
struct RuledField {
  const Json& value;
  const std::string& at;
  std::string_view known;  // what the rule knows besides
  Causes* causes;

  void Refuse(const std::string& why) const { causes->push_back(InvalidValue(at, value, why)); }
  const std::string& text() const { return TextAt(value, ""); }
  std::vector<std::string> KnownWords() const {
    return absl::StrSplit(absl::string_view(known.data(), known.size()), ',');
  }
};

struct FieldRule {
  std::string_view kind;
  std::string_view path;  // "spec.tolerations[].key"
  void (*check)(const RuledField& field);
  std::string_view known = {};
};

// Calls `check` for each field there is at `path`, and for one that is absent from its holder.
void CheckAt(const FieldRule& rule, std::string_view path, const RuledField& field) {
  static const Json nothing;
  if (path.empty()) return rule.check(field);
  std::string_view name = path.substr(0, path.find('.'));
  path.remove_prefix(std::min(path.size(), name.size() + 1));
  const bool each = name.ends_with("[]");
  if (each) name.remove_suffix(2);
  const auto found = field.value.find(name);
  const Json& member = found == field.value.end() ? nothing : *found;
  if (member.is_null() && !path.empty()) return;
  const std::string at =
      field.at.empty() ? std::string(name) : fmt::format("{}.{}", field.at, name);
  if (!each) return CheckAt(rule, path, {member, at, rule.known, field.causes});
  for (size_t i = 0; i < member.size(); ++i) {
    CheckAt(rule, path, {member[i], fmt::format("{}[{}]", at, i), rule.known, field.causes});
  }
}

void Required(const RuledField& field) {
  const bool is_empty_text = field.value.is_string() && field.text().empty();
  if (field.value.empty() || is_empty_text) {
    field.causes->push_back(RequiredValue(field.at, std::string(field.known)));
  }
}

void OneOf(const RuledField& field) {
  const std::vector<std::string> known = field.KnownWords();
  const bool is_known = std::find(known.begin(), known.end(), field.text()) != known.end();
  if (is_known || field.text().empty()) return;
  field.causes->push_back(NotSupportedValue(field.at, field.value, known));
}

void NotNegative(const RuledField& field) {
  if (field.value.is_number() && field.value < 0) {
    field.Refuse("must be greater than or equal to 0");
  }
}

void Positive(const RuledField& field) {
  if (field.value.is_number() && field.value <= 0) field.Refuse("must be greater than 0");
}

void Weight(const RuledField& field) {
  if (field.value.is_number() && (field.value < 1 || field.value > 100)) {
    field.Refuse("must be in the range 1-100");
  }
}

void DnsLabel(const RuledField& field) {
  if (!field.text().empty() && !IsDnsLabel(field.text())) field.Refuse(kLabelRule);
}

void DnsSubdomain(const RuledField& field) {
  if (!field.text().empty() && !IsDnsSubdomain(field.text())) field.Refuse(kSubdomainRule);
}

void LabelKey(const RuledField& field) {
  if (!field.text().empty() && !IsLabelKey(field.text())) field.Refuse(kKeyRule);
}

void LabelKeys(const RuledField& field) {
  for (const auto& [key, value] : field.value.items()) {
    if (!IsLabelKey(key)) field.causes->push_back(InvalidValue(field.at, key, kKeyRule));
  }
}

// No two items of the list have equal members `known`.
void Unique(const RuledField& field) {
  const std::vector<std::string> members = field.KnownWords();
  std::set<std::vector<std::string>> seen;
  for (size_t i = 0; i < field.value.size(); ++i) {
    std::vector<std::string> key;
    key.reserve(members.size());
    for (const std::string& member : members) key.push_back(TextAt(field.value[i], member));
    if (key[0].empty() || seen.insert(key).second) continue;
    const std::string at = fmt::format("{}[{}]", field.at, i);
    field.causes->push_back(members.size() == 1 ? DuplicateValue(at + "." + members[0], key[0])
                                                : DuplicateValue(at, field.value[i]));
  }
}

// Of a label selector, or of a node selector's term.
void Expression(const RuledField& field) {
  SelectorRequirement requirement;
  requirement.key = TextAt(field.value, "key");
  for (const Json& value : ListAt(field.value, "values")) requirement.values.push_back(value);
  auto status = ParseSelectorOperator(TextAt(field.value, "operator"), &requirement.op);
  if (status.ok()) status = requirement.Validate();
  const bool compares =
      requirement.op == SelectorOperator::kGt || requirement.op == SelectorOperator::kLt;
  if (!status.ok()) return field.Refuse(std::string(status.message()));
  if (compares && field.known != "nodes") field.Refuse("not a valid selector operator");
}

void Toleration(const RuledField& field) {
  const std::string& op = TextAt(field.value, "operator");
  const std::string& value = TextAt(field.value, "value");
  const std::string& effect = TextAt(field.value, "effect");
  const auto refuse = [&](const char* member, const std::string& wrong, const char* why) {
    field.causes->push_back(InvalidValue(field.at + member, wrong, why));
  };
  if (TextAt(field.value, "key").empty() && op != "Exists") {
    refuse(".operator", op,
           "operator must be Exists when `key` is empty, which means \"match all values and all "
           "keys\"");
  }
  if (op == "Exists" && !value.empty()) {
    refuse(".operator", value, "value must be empty when `operator` is 'Exists'");
  }
  if (field.value.contains("tolerationSeconds") && effect != "NoExecute") {
    refuse(".effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
}

bool IsExtended(const std::string& resource) {
  return resource.find('/') != resource.npos || resource.starts_with("hugepages-");
}

void CheckQuantity(const std::string& resource, const RuledField& field) {
  const bool is_known = resource == "cpu" || resource == "memory" ||
                        resource == "ephemeral-storage" || IsExtended(resource);
  if (!is_known) {
    field.causes->push_back(
        InvalidValue(field.at, resource, "must be a standard resource type or fully qualified"));
  }
  const auto quantity = Quantity::Parse(field.text());
  if (!quantity.ok()) return;
  if (*quantity < Quantity()) field.Refuse("must be greater than or equal to 0");
  if (resource.find('/') != resource.npos && quantity->MilliValue() % 1000 != 0) {
    field.Refuse("must be an integer");
  }
}

void CheckAgainstLimit(const std::string& name, const Json& request, const RuledField& resources) {
  const std::string limit_text = PartOf(resources.value, "limits").value(name, "");
  if (limit_text.empty()) {
    if (!IsExtended(name)) return;
    resources.causes->push_back(RequiredValue(
        resources.at + ".limits", "Limit must be set for non overcommitable resources"));
    return;
  }
  const auto asked = Quantity::Parse(TextAt(request, ""));
  const auto limit = Quantity::Parse(limit_text);
  if (!asked.ok() || !limit.ok()) return;
  if (IsExtended(name) ? *asked == *limit : *asked <= *limit) return;
  resources.causes->push_back(
      InvalidValue(resources.at + ".requests", request,
                   fmt::format("must be {}equal to {} limit of {}",
                               IsExtended(name) ? "" : "less than or ", name, limit_text)));
}

void Resources(const RuledField& field) {
  for (const char* part : {"limits", "requests"}) {
    for (const auto& [name, value] : PartOf(field.value, part).items()) {
      CheckQuantity(name,
                    {value, fmt::format("{}.{}[{}]", field.at, part, name), "", field.causes});
    }
  }
  for (const auto& [name, value] : PartOf(field.value, "requests").items()) {
    CheckAgainstLimit(name, value, field);
  }
}

void GatedNode(const RuledField& field) {
  if (TextAt(field.value, "nodeName").empty()) return;
  if (PartOf(field.value, "schedulingGates").empty()) return;
  field.causes->push_back(ForbiddenValue(
      field.at + ".nodeName", "cannot be set until all schedulingGates have been cleared"));
}

void AffinityTerm(const RuledField& field) {
  static constexpr FieldRule kRules[] = {
      {"", "topologyKey", Required, "can not be empty"},
      {"", "topologyKey", LabelKey},
      {"", "labelSelector.matchExpressions[]", Expression},
  };
  for (const FieldRule& rule : kRules) CheckAt(rule, rule.path, field);
}

#define OUTRIGGER_REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"
#define OUTRIGGER_PREFERRED "preferredDuringSchedulingIgnoredDuringExecution"

// Paths are from the spec.
constexpr FieldRule kPodSpecRules[] = {
    {"", "initContainers[].name", Required},
    {"", "initContainers[].name", DnsLabel},
    {"", "initContainers[].image", Required},
    {"", "initContainers[].resources", Resources},
    {"", "containers", Required},
    {"", "containers[].name", Required},
    {"", "containers[].name", DnsLabel},
    {"", "containers[].image", Required},
    {"", "containers[].resources", Resources},
    {"", "containers", Unique, "name"},
    {"", "restartPolicy", OneOf, "Always,OnFailure,Never"},
    {"", "tolerations[]", Toleration},
    {"", "tolerations[].key", LabelKey},
    {"", "tolerations[].operator", OneOf, "Equal,Exists"},
    {"", "tolerations[].effect", OneOf, "NoSchedule,PreferNoSchedule,NoExecute"},
    {"", "affinity.nodeAffinity." OUTRIGGER_REQUIRED ".nodeSelectorTerms", Required,
     "must have at least one node selector term"},
    {"", "affinity.nodeAffinity." OUTRIGGER_REQUIRED ".nodeSelectorTerms[].matchExpressions[]",
     Expression, "nodes"},
    {"", "affinity.nodeAffinity." OUTRIGGER_PREFERRED "[].weight", Weight},
    {"", "affinity.nodeAffinity." OUTRIGGER_PREFERRED "[].preference.matchExpressions[]",
     Expression, "nodes"},
    {"", "affinity.podAffinity." OUTRIGGER_REQUIRED "[]", AffinityTerm},
    {"", "affinity.podAffinity." OUTRIGGER_PREFERRED "[].weight", Weight},
    {"", "affinity.podAffinity." OUTRIGGER_PREFERRED "[].podAffinityTerm", AffinityTerm},
    {"", "affinity.podAntiAffinity." OUTRIGGER_REQUIRED "[]", AffinityTerm},
    {"", "affinity.podAntiAffinity." OUTRIGGER_PREFERRED "[].weight", Weight},
    {"", "affinity.podAntiAffinity." OUTRIGGER_PREFERRED "[].podAffinityTerm", AffinityTerm},
    {"", "topologySpreadConstraints[].maxSkew", Positive},
    {"", "topologySpreadConstraints[].topologyKey", Required, "can not be empty"},
    {"", "topologySpreadConstraints[].whenUnsatisfiable", Required},
    {"", "topologySpreadConstraints[].whenUnsatisfiable", OneOf, "DoNotSchedule,ScheduleAnyway"},
    {"", "topologySpreadConstraints", Unique, "topologyKey,whenUnsatisfiable"},
    {"", "schedulingGates[].name", LabelKey},
    {"", "schedulingGates", Unique, "name"},
    {"", "activeDeadlineSeconds", Positive},
    {"", "terminationGracePeriodSeconds", NotNegative},
    {"", "nodeSelector", LabelKeys},
    {"", "nodeName", DnsSubdomain},
    {"", "", GatedNode},
};

#undef OUTRIGGER_REQUIRED
#undef OUTRIGGER_PREFERRED

void PodSpec(const RuledField& field) {
  for (const FieldRule& rule : kPodSpecRules) CheckAt(rule, rule.path, field);
}

// The spec of what has a selector and a template of pods, whose restartPolicy is one of `known`.
void Workload(const RuledField& field) {
  const Json& selector = PartOf(field.value, "selector");
  const Json& labels = PartOf(field.value, "template.metadata.labels");
  for (const auto& [key, value] : labels.items()) {
    if (IsLabelValue(TextAt(value, ""))) continue;  // a Job's name becomes one
    field.causes->push_back(InvalidValue(field.at + ".template.metadata.labels", value,
                                         "is no label value: at most 63 characters"));
  }
  if (selector.empty()) field.causes->push_back(RequiredValue(field.at + ".selector"));
  bool matches = !selector.empty();
  for (const auto& [key, value] : PartOf(selector, "matchLabels").items()) {
    matches &= labels.value(key, Json()) == value;
  }
  if (!matches) {
    field.causes->push_back(InvalidValue(field.at + ".template.metadata.labels",
                                         labels.empty() ? Json() : labels,
                                         "`selector` does not match template `labels`"));
  }
  const std::string at = field.at + ".template.spec";
  const Json& pod = PartOf(field.value, "template.spec");
  PodSpec({pod, at, "", field.causes});
  OneOf({PartOf(pod, "restartPolicy"), at + ".restartPolicy", field.known, field.causes});
}

void Completions(const RuledField& field) {
  if (TextAt(field.value, "completionMode") != "Indexed" || field.value.contains("completions")) {
    return;
  }
  field.causes->push_back(
      RequiredValue(field.at + ".completions", "when completion mode is Indexed"));
}

void JobSelector(const RuledField& field) {
  if (IsTrueAt(field.value, "manualSelector")) return;
  const Json& selector = PartOf(field.value, "selector");
  if (PartOf(selector, "matchLabels").size() == 1) return;
  field.causes->push_back(
      InvalidValue(field.at + ".selector", selector, "`selector` not auto-generated"));
}

void RollingUpdate(const RuledField& field) {
  const auto is_zero = [&](const char* member) {
    return PartOf(field.value, member) == 0 || PartOf(field.value, member) == "0%";
  };
  if (!is_zero("maxSurge") || !is_zero("maxUnavailable")) return;
  field.causes->push_back(InvalidValue(field.at + ".maxUnavailable", field.value["maxUnavailable"],
                                       "may not be 0 when `maxSurge` is 0"));
}

void EventNamespace(const RuledField& field) {
  const std::string& own = TextAt(field.value, "metadata.namespace");
  const std::string& of = TextAt(field.value, "involvedObject.namespace");
  if (of == own || (of.empty() && own == "default")) return;
  field.causes->push_back(
      InvalidValue("involvedObject.namespace", of, "does not match event.namespace"));
}

void Budget(const RuledField& field) {
  if (!field.value.contains("minAvailable") || !field.value.contains("maxUnavailable")) return;
  field.Refuse("minAvailable and maxUnavailable cannot be both set");
}

void PriorityClass(const RuledField& field) {
  constexpr int64_t kHighest = 1'000'000'000;
  const std::string& name = TextAt(field.value, "metadata.name");
  if (name == "system-node-critical" || name == "system-cluster-critical") return;
  if (name.starts_with("system-")) {
    field.causes->push_back(ForbiddenValue(
        "metadata.name", "priority class names with 'system-' prefix are reserved for system use"));
  }
  if (NumberAt(field.value, "value") > kHighest) {
    field.causes->push_back(ForbiddenValue(
        "value", fmt::format("maximum allowed value of a user defined priority is {}", kHighest)));
  }
}

constexpr FieldRule kRules[] = {
    {"Event", "", EventNamespace},
    {"Node", "spec.taints[].key", LabelKey},
    {"Node", "spec.taints[].effect", Required},
    {"Node", "spec.taints[].effect", OneOf, "NoSchedule,PreferNoSchedule,NoExecute"},
    {"Node", "spec.taints", Unique, "key,effect"},
    {"Pod", "spec", PodSpec},
    {"apps/DaemonSet", "spec", Workload, "Always"},
    {"apps/Deployment", "spec.replicas", NotNegative},
    {"apps/Deployment", "spec", Workload, "Always"},
    {"apps/Deployment", "spec.strategy.type", OneOf, "Recreate,RollingUpdate"},
    {"apps/Deployment", "spec.strategy.rollingUpdate", RollingUpdate},
    {"apps/ReplicaSet", "spec.replicas", NotNegative},
    {"apps/ReplicaSet", "spec", Workload, "Always"},
    {"apps/StatefulSet", "spec.replicas", NotNegative},
    {"apps/StatefulSet", "spec", Workload, "Always"},
    {"batch/Job", "spec.parallelism", NotNegative},
    {"batch/Job", "spec.completions", NotNegative},
    {"batch/Job", "spec", Completions},
    {"batch/Job", "spec", JobSelector},
    {"batch/Job", "spec", Workload, "OnFailure,Never"},
    {"coordination.k8s.io/Lease", "spec.leaseDurationSeconds", Positive},
    {"events.k8s.io/Event", "", EventNamespace},
    {"events.k8s.io/Event", "eventTime", Required},
    {"events.k8s.io/Event", "action", Required},
    {"events.k8s.io/Event", "type", Required},
    {"events.k8s.io/Event", "type", OneOf, "Normal,Warning"},
    {"policy/PodDisruptionBudget", "spec", Budget},
    {"policy/PodDisruptionBudget", "spec.selector.matchExpressions[]", Expression},
    {"scheduling.k8s.io/PriorityClass", "", PriorityClass},
    {"scheduling.k8s.io/PriorityClass", "preemptionPolicy", OneOf, "PreemptLowerPriority,Never"},
};

struct KeptField {
  std::string_view kind;
  std::string_view path;
  std::string_view when = {};  // what must be true in the old object
};

constexpr KeptField kKeptFields[] = {
    {"ConfigMap", "immutable", "immutable"},
    {"ConfigMap", "data", "immutable"},
    {"ConfigMap", "binaryData", "immutable"},
    {"Secret", "immutable", "immutable"},
    {"Secret", "data", "immutable"},
    {"Secret", "type"},
    {"apps/DaemonSet", "spec.selector"},
    {"apps/Deployment", "spec.selector"},
    {"apps/ReplicaSet", "spec.selector"},
    {"apps/StatefulSet", "spec.selector"},
    {"batch/Job", "spec.selector"},
    {"batch/Job", "spec.completions"},
    {"batch/Job", "spec.completionMode"},
    {"rbac.authorization.k8s.io/ClusterRoleBinding", "roleRef"},
    {"rbac.authorization.k8s.io/RoleBinding", "roleRef"},
    {"resource.k8s.io/ResourceClaim", "spec"},
    {"scheduling.k8s.io/PriorityClass", "value"},
    {"scheduling.k8s.io/PriorityClass", "preemptionPolicy"},
};

// A Job that is suspended may be given other nodes.
void CheckJobTemplate(const Json& old, const Json& job, Causes* causes) {
  Json before = PartOf(old, "spec.template");
  Json now = PartOf(job, "spec.template");
  if (IsTrueAt(old, "spec.suspend")) {
    for (Json* one : {&before, &now}) {
      for (const char* key : {"nodeSelector", "affinity", "tolerations", "schedulingGates"}) {
        (*one)["spec"].erase(key);
      }
      one->erase("metadata");
    }
  }
  if (before != now) causes->push_back(InvalidValue("spec.template", now, "field is immutable"));
}

}  // namespace

void CheckKind(std::string_view kind, const Json& object, Causes* causes) {
  for (const FieldRule& rule : kRules) {
    if (rule.kind == kind) CheckAt(rule, rule.path, {object, "", rule.known, causes});
  }
}

void CheckKept(std::string_view kind, const Json& old, const Json& object, Causes* causes) {
  for (const KeptField& field : kKeptFields) {
    if (field.kind != kind || (!field.when.empty() && !IsTrueAt(old, field.when))) continue;
    const Json& now = PartOf(object, field.path);
    if (PartOf(old, field.path) == now) continue;
    causes->push_back(InvalidValue(std::string(field.path), now, "field is immutable"));
  }
  if (kind == "batch/Job") CheckJobTemplate(old, object, causes);
}

}  // namespace outrigger::apiserver
