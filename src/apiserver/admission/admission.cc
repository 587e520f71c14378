#include "apiserver/admission/admission.h"

#include <utility>

#include "apiserver/admission/rules.h"
#include "apiserver/crd/definition.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

constexpr std::string_view kPriorityClass = "scheduling.k8s.io/PriorityClass";
constexpr std::string_view kDefinition = "apiextensions.k8s.io/CustomResourceDefinition";

// Fields of kinds that controllers leave undone.
constexpr std::pair<std::string_view, std::string_view> kUnheeded[] = {
    {"apps/Deployment", "spec.minReadySeconds"}, {"apps/ReplicaSet", "spec.minReadySeconds"},
    {"batch/Job", "spec.activeDeadlineSeconds"}, {"batch/Job", "spec.ttlSecondsAfterFinished"},
    {"batch/Job", "spec.podFailurePolicy"},      {"batch/Job", "spec.successPolicy"},
    {"batch/Job", "spec.backoffLimitPerIndex"},  {"batch/Job", "spec.maxFailedIndexes"},
    {"batch/Job", "spec.podReplacementPolicy"},  {"batch/Job", "spec.managedBy"},
};

std::string NameOf(const KindName& kind) {
  return kind.group.empty() ? kind.kind : fmt::format("{}/{}", kind.group, kind.kind);
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

Failure OtherPriority(const Subject& subject, const std::string& key, const Json& given,
                      const Json& computed) {
  const auto text = [](const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  return Failure::Forbidden(
      subject, fmt::format("the {} ({}) must not be provided in pod spec; priority admission "
                           "controller computed {} from the given PriorityClass name",
                           key == "priority" ? "integer value of priority"
                                             : "string value of PreemptionPolicy",
                           text(given), text(computed)));
}

}  // namespace

Admission::Admission(Store* store, AdmissionOptions options)
    : options_(options),
      store_(store),
      priority_classes_(store->Open("priorityclasses.scheduling.k8s.io", nullptr)) {}

// Null: there is none.
Json Admission::DefaultClass() const {
  Json found;
  for (const StoredPtr& one : store_->List(*priority_classes_, "").objects) {
    Json object = one->Parse();
    const bool is_lower = found.is_null() || NumberAt(object, "value") < NumberAt(found, "value");
    if (IsTrueAt(object, "globalDefault") && is_lower) found = std::move(object);
  }
  return found;
}

// Of the class that a pod names, else of the one that is the default, else 0 (plugin Priority).
std::optional<Failure> Admission::SetPriority(Json* pod) const {
  Json& spec = (*pod)["spec"];
  const Subject subject{"", "pods", TextAt(*pod, "metadata.name")};
  const std::string name = TextAt(spec, "priorityClassName");
  const StoredPtr named = name.empty() ? nullptr : store_->Get(*priority_classes_, {"", name});
  if (!name.empty() && named == nullptr) {
    return Failure::Forbidden(subject,
                              fmt::format("no PriorityClass with name {} was found", name));
  }
  const Json chosen = named == nullptr ? DefaultClass() : named->Parse();
  const std::string& policy = TextAt(chosen, "preemptionPolicy");
  const Json of_class = {{"priority", NumberAt(chosen, "value")},
                         {"preemptionPolicy", policy.empty() ? "PreemptLowerPriority" : policy}};
  for (const auto& [key, value] : of_class.items()) {
    if (spec.contains(key) && spec[key] != value)
      return OtherPriority(subject, key, spec[key], value);
    spec[key] = value;
  }
  if (!chosen.is_null()) spec["priorityClassName"] = TextAt(chosen, "metadata.name");
  return std::nullopt;
}

std::optional<Failure> Admission::CheckDefaultClass(const Json& priority_class) const {
  const std::string& name = TextAt(priority_class, "metadata.name");
  const Json present = DefaultClass();
  if (!IsTrueAt(priority_class, "globalDefault") || present.is_null()) return std::nullopt;
  const std::string& other = TextAt(present, "metadata.name");
  if (other == name) return std::nullopt;
  return Failure::Forbidden({"scheduling.k8s.io", "priorityclasses", name},
                            fmt::format("PriorityClass {} is already marked as default. Only one "
                                        "default can exist",
                                        other));
}

std::optional<Failure> Admission::OnDelete(const KindName& kind, const std::string& name) const {
  const std::string of = NameOf(kind);
  if (of == kPriorityClass &&
      (name == "system-node-critical" || name == "system-cluster-critical")) {
    return Failure::Forbidden({kind.group, "priorityclasses", name},
                              "this is a system priority class and cannot be deleted");
  }
  const bool stays = name == "default" || name == "kube-system" || name == "kube-public";
  if (of == "Namespace" && stays) {
    return Failure::Forbidden({"", "namespaces", name}, "this namespace may not be deleted");
  }
  return std::nullopt;
}

std::optional<Failure> Admission::OnCreate(const KindName& kind, Json* object,
                                           std::vector<std::string>* warnings) const {
  const std::string of = NameOf(kind);
  for (const auto& [of_kind, field] : kUnheeded) {
    if (of != of_kind || ValueAt(*object, field) == nullptr) continue;
    warnings->push_back(fmt::format("{}: the controllers of this server do not heed it", field));
  }
  if (of == kDefinition) return CheckDefinition(object);
  if (of == "Pod") {
    SetPodDefaults(&(*object)["spec"]);
    if (auto failure = SetPriority(object)) return failure;
    AddDefaultTolerations(&(*object)["spec"]);
    if (options_.gangs) SetGangParts(object);
    (*object)["status"] = {{"phase", "Pending"}, {"qosClass", QosClassOf(*object)}};
    SetGatedCondition(object);
  }
  if (of == kPriorityClass) {
    if (auto failure = CheckDefaultClass(*object)) return failure;
  }
  SetKindDefaults(of, object);
  Causes causes;
  CheckKind(of, *object, &causes);
  return AsFailure(kind, *object, std::move(causes));
}

std::optional<Failure> Admission::OnUpdate(const KindName& kind, Part part, const Json& old,
                                           Json* object) const {
  const std::string of = NameOf(kind);
  SetStandingDefaults(of, object);
  Causes causes;
  if (part == Part::kStatus && of == "Pod") {
    const std::string qos = TextAt(*object, "status.qosClass");
    if (qos.empty()) {
      (*object)["status"]["qosClass"] = TextAt(old, "status.qosClass");
    } else if (qos != TextAt(old, "status.qosClass")) {
      causes.push_back(InvalidValue("status.qosClass", qos, "field is immutable"));
    }
  }
  if (part != Part::kMain) return AsFailure(kind, *object, std::move(causes));
  if (of == kDefinition) return CheckDefinition(object);
  if (of == kPriorityClass) {
    if (auto failure = CheckDefaultClass(*object)) return failure;
  }
  if (of == "Pod") {
    Json& spec = (*object)["spec"];
    SetPodDefaults(&spec);
    AddDefaultTolerations(&spec);
    for (const char* key : {"priority", "preemptionPolicy"}) {
      if (!spec.contains(key) && old["spec"].contains(key)) spec[key] = old["spec"][key];
    }
  }
  CheckKind(of, *object, &causes);
  CheckKept(of, old, *object, &causes);
  if (of == "Pod" && causes.empty()) CheckPodUpdate(old, *object, &causes);
  return AsFailure(kind, *object, std::move(causes));
}

}  // namespace outrigger::apiserver
