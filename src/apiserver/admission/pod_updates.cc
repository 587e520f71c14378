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
constexpr const char* kContainerListNames[] = {"initContainers", "containers"};

Json WithoutSeconds(Json tolerations) {
  for (Json& toleration : tolerations) toleration.erase("tolerationSeconds");
  return tolerations;
}

// All of `part` is in `whole`: items of a list, members of a map.
bool IsPart(const Json& part, const Json& whole) {
  for (const auto& [key, value] : part.items()) {
    const bool found = part.is_object()
                           ? whole.contains(key) && whole[key] == value
                           : std::find(whole.begin(), whole.end(), value) != whole.end();
    if (!found) return false;
  }
  return true;
}

bool MayChange(std::string_view key, const Json& old, const Json& spec) {
  const bool is_gated = !PartOf(old, "schedulingGates").empty();
  if (key == "schedulingGates") return IsPart(ListAt(spec, key), ListAt(old, key));
  if (key == "nodeSelector") return is_gated && IsPart(PartOf(old, key), PartOf(spec, key));
  if (key == "affinity") return is_gated;
  if (key == "tolerations") {
    return IsPart(WithoutSeconds(ListAt(old, key)), WithoutSeconds(ListAt(spec, key)));
  }
  const int64_t before = NumberAt(old, "activeDeadlineSeconds");
  const int64_t now = NumberAt(spec, "activeDeadlineSeconds");
  return before == 0 || (now > 0 && now <= before);
}

void TakeImages(const Json& spec, Json* old) {
  for (const char* list : kContainerListNames) {
    for (size_t i = 0; i < ListAt(spec, list).size(); ++i) {
      (*old)[list][i]["image"] = spec[list][i]["image"];
    }
  }
}

}  // namespace

void CheckPodUpdate(const Json& old, const Json& pod, Causes* causes) {
  Json before = PartOf(old, "spec");
  const Json& spec = PartOf(pod, "spec");
  for (const char* list : kContainerListNames) {
    if (ListAt(before, list).size() == ListAt(spec, list).size()) continue;
    causes->push_back(ForbiddenValue(fmt::format("spec.{}", list),
                                     "pod updates may not add or remove containers"));
    return;
  }
  // What may differ is made the same.
  const Json& was = PartOf(old, "spec");
  for (const char* key :
       {"schedulingGates", "nodeSelector", "affinity", "tolerations", "activeDeadlineSeconds"}) {
    if (!MayChange(key, was, spec)) continue;
    before.erase(key);
    if (spec.contains(key)) before[key] = spec[key];
  }
  TakeImages(spec, &before);
  if (before != spec) causes->push_back(ForbiddenValue("spec", kMayChange));
}

}  // namespace outrigger::apiserver
