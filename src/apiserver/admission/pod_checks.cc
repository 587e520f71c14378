// Validation of pods, as far as a scheduler reads them (core/validation/validation.go).

#include <algorithm>
#include <map>
#include <set>

#include "apiserver/admission/rules.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"
#include "outrigger/k8s/label_syntax.h"
#include "outrigger/k8s/quantity.h"

namespace outrigger::apiserver {
namespace {

constexpr const char* kLabelWhy =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr const char* kSubdomainWhy =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr const char* kKeyWhy =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr const char* kNotNegative = "must be greater than or equal to 0";

bool IsOvercommittable(const std::string& resource) {
  return resource.find('/') == resource.npos && !resource.starts_with("hugepages-");
}

void CheckQuantity(const std::string& resource, const Json& value, const std::string& at,
                   std::vector<Cause>* causes) {
  constexpr const char* kStandard[] = {"cpu", "memory", "ephemeral-storage"};
  if (IsOvercommittable(resource) &&
      std::find(std::begin(kStandard), std::end(kStandard), resource) == std::end(kStandard)) {
    causes->push_back(
        InvalidValue(at, resource, "must be a standard resource type or fully qualified"));
    causes->push_back(InvalidValue(at, resource, "must be a standard resource for containers"));
  }
  const auto quantity = Quantity::Parse(value.get<std::string>());
  if (!quantity.ok()) return;
  if (*quantity < Quantity()) causes->push_back(InvalidValue(at, value, kNotNegative));
  const bool is_whole = resource.find('/') != resource.npos || resource == "pods";
  if (is_whole && quantity->MilliValue() % 1000 != 0) {
    causes->push_back(InvalidValue(at, value, "must be an integer"));
  }
}

void CheckAgainstLimit(const std::string& name, const Json& request, const Json& limits,
                       const std::string& at, std::vector<Cause>* causes) {
  if (!limits.contains(name)) {
    if (!IsOvercommittable(name)) {
      causes->push_back(
          RequiredValue(at + ".limits", "Limit must be set for non overcommitable resources"));
    }
    return;
  }
  const auto asked = Quantity::Parse(request.get<std::string>());
  const auto limit = Quantity::Parse(limits[name].get<std::string>());
  if (!asked.ok() || !limit.ok()) return;
  if (!IsOvercommittable(name) && *asked != *limit) {
    causes->push_back(InvalidValue(
        at + ".requests", request,
        fmt::format("must be equal to {} limit of {}", name, limits[name].get<std::string>())));
  } else if (*asked > *limit) {
    causes->push_back(InvalidValue(at + ".requests", request,
                                   fmt::format("must be less than or equal to {} limit of {}", name,
                                               limits[name].get<std::string>())));
  }
}

void CheckContainers(const Json& containers, const std::string& at, std::set<std::string>* names,
                     std::vector<Cause>* causes) {
  for (size_t i = 0; i < containers.size(); ++i) {
    const std::string own = fmt::format("{}[{}]", at, i);
    const std::string name = TextAt(containers[i], "name");
    if (name.empty()) {
      causes->push_back(RequiredValue(own + ".name"));
    } else if (!IsDnsLabel(name)) {
      causes->push_back(InvalidValue(own + ".name", name, kLabelWhy));
    } else if (!names->insert(name).second) {
      causes->push_back(DuplicateValue(own + ".name", name));
    }
    if (TextAt(containers[i], "image").empty()) causes->push_back(RequiredValue(own + ".image"));
    CheckResources(PartOf(containers[i], "resources"), own + ".resources", causes);
  }
}

void CheckOneOf(const std::string& value, const std::vector<std::string>& known,
                const std::string& at, std::vector<Cause>* causes) {
  if (std::find(known.begin(), known.end(), value) != known.end()) return;
  causes->push_back(value.empty() ? RequiredValue(at) : NotSupportedValue(at, value, known));
}

void CheckTolerations(const Json& tolerations, const std::string& at, std::vector<Cause>* causes) {
  for (size_t i = 0; i < tolerations.size(); ++i) {
    const std::string own = fmt::format("{}[{}]", at, i);
    const std::string key = TextAt(tolerations[i], "key");
    const std::string op = TextAt(tolerations[i], "operator");
    if (!key.empty() && !IsLabelKey(key))
      causes->push_back(InvalidValue(own + ".key", key, kKeyWhy));
    if (key.empty() && op != "Exists") {
      causes->push_back(InvalidValue(own + ".operator", op,
                                     "operator must be Exists when `key` is empty, which means "
                                     "\"match all values and all keys\""));
    }
    if (!op.empty()) CheckOneOf(op, {"Equal", "Exists"}, own + ".operator", causes);
    const std::string value = TextAt(tolerations[i], "value");
    if (op == "Exists" && !value.empty()) {
      causes->push_back(InvalidValue(own + ".operator", value,
                                     "value must be empty when `operator` is 'Exists'"));
    }
    const std::string effect = TextAt(tolerations[i], "effect");
    if (!effect.empty()) {
      CheckOneOf(effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"}, own + ".effect", causes);
    }
    if (tolerations[i].contains("tolerationSeconds") && effect != "NoExecute") {
      causes->push_back(InvalidValue(own + ".effect", effect,
                                     "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    }
  }
}

// Values that an operator wants.
void CheckExpression(const Json& one, bool of_nodes, const std::string& at,
                     std::vector<Cause>* causes) {
  const std::string op = TextAt(one, "operator");
  const size_t values = PartOf(one, "values").size();
  if (op == "In" || op == "NotIn") {
    if (values == 0) {
      causes->push_back(
          RequiredValue(at + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (values > 0) {
      causes->push_back(ForbiddenValue(
          at + ".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
  } else if (of_nodes && (op == "Gt" || op == "Lt")) {
    if (values != 1) {
      causes->push_back(RequiredValue(
          at + ".values", "must be specified single value when `operator` is 'Lt' or 'Gt'"));
    }
  } else {
    causes->push_back(InvalidValue(at + ".operator", op, "not a valid selector operator"));
  }
  const std::string key = TextAt(one, "key");
  if (!IsLabelKey(key)) causes->push_back(InvalidValue(at + ".key", key, kKeyWhy));
}

void CheckNodeTerms(const Json& terms, const std::string& at, std::vector<Cause>* causes) {
  for (size_t i = 0; i < terms.size(); ++i) {
    const Json& expressions = PartOf(terms[i], "matchExpressions");
    for (size_t e = 0; e < expressions.size(); ++e) {
      CheckExpression(expressions[e], /*of_nodes=*/true,
                      fmt::format("{}[{}].matchExpressions[{}]", at, i, e), causes);
    }
  }
}

void CheckWeight(const Json& term, const std::string& at, std::vector<Cause>* causes) {
  const int64_t weight = term.value("weight", int64_t{0});
  if (weight < 1 || weight > 100) {
    causes->push_back(InvalidValue(at + ".weight", weight, "must be in the range 1-100"));
  }
}

void CheckPodTerm(const Json& term, const std::string& at, std::vector<Cause>* causes) {
  const std::string key = TextAt(term, "topologyKey");
  if (key.empty()) {
    causes->push_back(RequiredValue(at + ".topologyKey", "can not be empty"));
    causes->push_back(InvalidValue(at + ".topologyKey", key, "name part must be non-empty"));
    causes->push_back(InvalidValue(at + ".topologyKey", key, kKeyWhy));
  } else if (!IsLabelKey(key)) {
    causes->push_back(InvalidValue(at + ".topologyKey", key, kKeyWhy));
  }
  if (term.contains("labelSelector")) {
    CheckLabelSelector(term["labelSelector"], at + ".labelSelector", causes);
  }
}

void CheckPodAffinity(const Json& affinity, const std::string& at, std::vector<Cause>* causes) {
  const Json& required = PartOf(affinity, "requiredDuringSchedulingIgnoredDuringExecution");
  for (size_t i = 0; i < required.size(); ++i) {
    CheckPodTerm(required[i],
                 fmt::format("{}.requiredDuringSchedulingIgnoredDuringExecution[{}]", at, i),
                 causes);
  }
  const Json& preferred = PartOf(affinity, "preferredDuringSchedulingIgnoredDuringExecution");
  for (size_t i = 0; i < preferred.size(); ++i) {
    const std::string own =
        fmt::format("{}.preferredDuringSchedulingIgnoredDuringExecution[{}]", at, i);
    CheckWeight(preferred[i], own, causes);
    CheckPodTerm(PartOf(preferred[i], "podAffinityTerm"), own + ".podAffinityTerm", causes);
  }
}

void CheckNodeAffinity(const Json& affinity, const std::string& at, std::vector<Cause>* causes) {
  constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  if (affinity.contains(kRequired)) {
    const std::string own = fmt::format("{}.{}.nodeSelectorTerms", at, kRequired);
    const Json& terms = PartOf(affinity[kRequired], "nodeSelectorTerms");
    if (terms.empty())
      causes->push_back(RequiredValue(own, "must have at least one node selector term"));
    CheckNodeTerms(terms, own, causes);
  }
  const Json& preferred = PartOf(affinity, "preferredDuringSchedulingIgnoredDuringExecution");
  for (size_t i = 0; i < preferred.size(); ++i) {
    CheckWeight(preferred[i],
                fmt::format("{}.preferredDuringSchedulingIgnoredDuringExecution[{}]", at, i),
                causes);
  }
}

void CheckSpread(const Json& constraints, const std::string& at, std::vector<Cause>* causes) {
  std::map<std::string, size_t> seen;
  for (size_t i = 0; i < constraints.size(); ++i) {
    const std::string own = fmt::format("{}[{}]", at, i);
    const int64_t skew = constraints[i].value("maxSkew", int64_t{0});
    if (skew <= 0)
      causes->push_back(InvalidValue(own + ".maxSkew", skew, "must be greater than zero"));
    if (TextAt(constraints[i], "topologyKey").empty()) {
      causes->push_back(RequiredValue(own + ".topologyKey", "can not be empty"));
    }
    CheckOneOf(TextAt(constraints[i], "whenUnsatisfiable"), {"DoNotSchedule", "ScheduleAnyway"},
               own + ".whenUnsatisfiable", causes);
    const std::string when = TextAt(constraints[i], "whenUnsatisfiable");
    if (constraints[i].contains("minDomains") && when != "DoNotSchedule") {
      causes->push_back(InvalidValue(
          own + ".minDomains", constraints[i]["minDomains"],
          fmt::format("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {}", when)));
    }
    const std::string pair = fmt::format("{{{}, {}}}", TextAt(constraints[i], "topologyKey"), when);
    if (const auto [first, is_new] = seen.emplace(pair, i); !is_new) {
      causes->push_back(DuplicateValue(
          fmt::format("{}[{}].{{topologyKey, whenUnsatisfiable}}", at, first->second), pair));
    }
  }
}

void CheckGates(const Json& gates, const std::string& at, std::vector<Cause>* causes) {
  std::set<std::string> names;
  for (size_t i = 0; i < gates.size(); ++i) {
    const std::string name = TextAt(gates[i], "name");
    const std::string own = fmt::format("{}[{}]", at, i);
    if (!IsLabelKey(name)) causes->push_back(InvalidValue(own, name, kKeyWhy));
    if (!names.insert(name).second) causes->push_back(DuplicateValue(own, name));
  }
}

}  // namespace

void CheckResources(const Json& resources, const std::string& at, std::vector<Cause>* causes) {
  const Json& limits = PartOf(resources, "limits");
  const Json& requests = PartOf(resources, "requests");
  for (const auto& [name, value] : limits.items()) {
    CheckQuantity(name, value, fmt::format("{}.limits[{}]", at, name), causes);
  }
  for (const auto& [name, value] : requests.items()) {
    CheckQuantity(name, value, fmt::format("{}.requests[{}]", at, name), causes);
    CheckAgainstLimit(name, value, limits, at, causes);
  }
}

void CheckLabelSelector(const Json& selector, const std::string& at, std::vector<Cause>* causes) {
  const Json& expressions = PartOf(selector, "matchExpressions");
  for (size_t i = 0; i < expressions.size(); ++i) {
    CheckExpression(expressions[i], /*of_nodes=*/false,
                    fmt::format("{}.matchExpressions[{}]", at, i), causes);
  }
}

void CheckPodSpec(const Json& spec, const std::string& at, std::vector<Cause>* causes) {
  const Json& containers = PartOf(spec, "containers");
  if (containers.empty()) causes->push_back(RequiredValue(at + ".containers"));
  std::set<std::string> names;
  CheckContainers(PartOf(spec, "initContainers"), at + ".initContainers", &names, causes);
  CheckContainers(containers, at + ".containers", &names, causes);
  CheckOneOf(TextAt(spec, "restartPolicy"), {"Always", "OnFailure", "Never"}, at + ".restartPolicy",
             causes);
  CheckTolerations(PartOf(spec, "tolerations"), at + ".tolerations", causes);
  CheckNodeAffinity(PartOf(spec, "affinity.nodeAffinity"), at + ".affinity.nodeAffinity", causes);
  CheckPodAffinity(PartOf(spec, "affinity.podAffinity"), at + ".affinity.podAffinity", causes);
  CheckPodAffinity(PartOf(spec, "affinity.podAntiAffinity"), at + ".affinity.podAntiAffinity",
                   causes);
  CheckSpread(PartOf(spec, "topologySpreadConstraints"), at + ".topologySpreadConstraints", causes);
  CheckGates(PartOf(spec, "schedulingGates"), at + ".schedulingGates", causes);
  const Json& deadline = PartOf(spec, "activeDeadlineSeconds");
  if (deadline.is_number() && (deadline < 1 || deadline > INT32_MAX)) {
    causes->push_back(InvalidValue(at + ".activeDeadlineSeconds", deadline,
                                   "must be between 1 and 2147483647, inclusive"));
  }
  for (const auto& [key, value] : PartOf(spec, "nodeSelector").items()) {
    if (!IsLabelKey(key)) causes->push_back(InvalidValue(at + ".nodeSelector", key, kKeyWhy));
  }
  const std::string node = TextAt(spec, "nodeName");
  if (!node.empty() && !IsDnsSubdomain(node)) {
    causes->push_back(InvalidValue(at + ".nodeName", node, kSubdomainWhy));
  }
  if (!node.empty() && !PartOf(spec, "schedulingGates").empty()) {
    causes->push_back(ForbiddenValue(at + ".nodeName",
                                     "cannot be set until all schedulingGates have been cleared"));
  }
}

void CheckTaints(const Json& node, std::vector<Cause>* causes) {
  const Json& taints = PartOf(node, "spec.taints");
  std::set<std::pair<std::string, std::string>> seen;
  for (size_t i = 0; i < taints.size(); ++i) {
    const std::string own = fmt::format("metadata.taints[{}]", i);
    const std::string key = TextAt(taints[i], "key");
    const std::string effect = TextAt(taints[i], "effect");
    if (!IsLabelKey(key)) causes->push_back(InvalidValue(own + ".key", key, kKeyWhy));
    CheckOneOf(effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"}, own + ".effect", causes);
    if (!seen.emplace(key, effect).second) {
      causes->push_back(DuplicateValue(own, taints[i]));
    }
  }
}

}  // namespace outrigger::apiserver
