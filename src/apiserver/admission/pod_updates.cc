// What an update of a pod may change (ValidatePodUpdate of core/validation).

#include <algorithm>

#include "apiserver/admission/rules.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

constexpr const char* kMayChange =
    "pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
    "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set "
    "to 1 if it was previously negative)";

void CheckGatesKept(const Json& old, const Json& spec, std::vector<Cause>* causes) {
  const Json& before = PartOf(old, "schedulingGates");
  for (const Json& gate : PartOf(spec, "schedulingGates")) {
    if (std::find(before.begin(), before.end(), gate) != before.end()) continue;
    causes->push_back(ForbiddenValue(
        fmt::format("spec.schedulingGates[{}].name", &gate - &PartOf(spec, "schedulingGates")[0]),
        "only deletion is allowed, but found new scheduling gate '" + TextAt(gate, "name") + "'"));
  }
}

void CheckTolerationsKept(const Json& old, const Json& spec, std::vector<Cause>* causes) {
  const Json& now = PartOf(spec, "tolerations");
  const auto without_seconds = [](Json toleration) {
    toleration.erase("tolerationSeconds");
    return toleration;
  };
  for (const Json& toleration : PartOf(old, "tolerations")) {
    const Json kept = without_seconds(toleration);
    if (std::any_of(now.begin(), now.end(),
                    [&](const Json& one) { return without_seconds(one) == kept; })) {
      continue;
    }
    causes->push_back(
        ForbiddenValue("spec.tolerations",
                       "existing toleration can not be modified except its tolerationSeconds"));
    return;
  }
}

// Node selector and affinity of a gated pod may become narrower: keys are added.
bool IsNarrower(const Json& old, const Json& spec) {
  const Json& before = PartOf(old, "nodeSelector");
  const Json& now = PartOf(spec, "nodeSelector");
  for (const auto& [key, value] : before.items()) {
    if (!now.contains(key) || now[key] != value) return false;
  }
  return true;
}

void CheckDeadline(const Json& old, const Json& spec, std::vector<Cause>* causes) {
  const Json& before = PartOf(old, "activeDeadlineSeconds");
  const Json& now = PartOf(spec, "activeDeadlineSeconds");
  if (!before.is_number() || (now.is_number() && now <= before)) return;
  causes->push_back(InvalidValue("spec.activeDeadlineSeconds", now.is_number() ? now : Json(),
                                 now.is_number() ? "must be less than or equal to previous value"
                                                 : "must not update from a positive integer to nil "
                                                   "value"));
}

// What may differ is made the same.
void TakeOver(const Json& spec, bool gated, Json* old) {
  for (const char* key : {"activeDeadlineSeconds", "tolerations", "schedulingGates"}) {
    old->erase(key);
    if (spec.contains(key)) (*old)[key] = spec[key];
  }
  for (const char* key : {"nodeSelector", "affinity"}) {
    if (!gated || !IsNarrower(*old, spec)) continue;
    old->erase(key);
    if (spec.contains(key)) (*old)[key] = spec[key];
  }
  for (const char* list : {"containers", "initContainers"}) {
    if (!old->contains(list) || !spec.contains(list)) continue;
    const size_t count = std::min((*old)[list].size(), spec[list].size());
    for (size_t i = 0; i < count; ++i) {
      if (spec[list][i].contains("image")) (*old)[list][i]["image"] = spec[list][i]["image"];
    }
  }
}

}  // namespace

void CheckPodUpdate(const Json& old, const Json& pod, std::vector<Cause>* causes) {
  Json before = PartOf(old, "spec");
  const Json& spec = PartOf(pod, "spec");
  for (const char* list : {"initContainers", "containers"}) {
    if (PartOf(before, list).size() == PartOf(spec, list).size()) continue;
    causes->push_back(ForbiddenValue(fmt::format("spec.{}", list),
                                     "pod updates may not add or remove containers"));
    return;
  }
  CheckGatesKept(before, spec, causes);
  CheckDeadline(before, spec, causes);
  const bool is_gated = !PartOf(before, "schedulingGates").empty();
  if (is_gated && !IsNarrower(before, spec)) {
    causes->push_back(InvalidValue(
        "spec.nodeSelector", PartOf(spec, "nodeSelector"),
        "only additions to spec.nodeSelector are allowed (no mutations or deletions)"));
    return;
  }
  CheckTolerationsKept(before, spec, causes);
  TakeOver(spec, is_gated, &before);
  if (before != spec) causes->push_back(ForbiddenValue("spec", kMayChange));
}

}  // namespace outrigger::apiserver
