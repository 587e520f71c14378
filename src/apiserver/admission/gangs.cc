// What deploy/member-policy.yaml does for members of gangs, as one rule: an end-to-end test
// compares the two.

#include <algorithm>

#include "apiserver/admission/rules.h"
#include "apiserver/select/field_path.h"

namespace outrigger::apiserver {
namespace {

constexpr const char* kGroupLabels[] = {"podGroup", "scheduling.x-k8s.io/pod-group",
                                        "pod-group.scheduling.sigs.k8s.io",
                                        "pod-group.scheduling.sigs.k8s.io/name"};
constexpr const char* kGroupAnnotations[] = {"scheduling.k8s.io/group-name",
                                             "gang.scheduling.koordinator.sh/name"};
constexpr const char* kQueueGate = "outrigger.dev/queue";
constexpr int64_t kCritical = 2'000'000'000;

// Keys have dots, so no path leads there.
bool HasText(const Json& map, const char* key) {
  const auto found = map.find(key);
  return found != map.end() && found->is_string() && !found->get_ref<const std::string&>().empty();
}

bool NamesGroup(const Json& pod) {
  if (!TextAt(pod, "spec.schedulingGroup.podGroupName").empty()) return true;
  const Json& labels = PartOf(pod, "metadata.labels");
  const Json& annotations = PartOf(pod, "metadata.annotations");
  return std::any_of(std::begin(kGroupLabels), std::end(kGroupLabels),
                     [&](const char* key) { return HasText(labels, key); }) ||
         std::any_of(std::begin(kGroupAnnotations), std::end(kGroupAnnotations),
                     [&](const char* key) { return HasText(annotations, key); });
}

bool IsHeld(const Json& pod) {
  const Json& owners = ListAt(pod, "metadata.ownerReferences");
  return NumberAt(pod, "spec.priority") < kCritical &&
         std::none_of(owners.begin(), owners.end(),
                      [](const Json& owner) { return TextAt(owner, "kind") == "DaemonSet"; });
}

void AddGate(Json* spec) {
  Json& gates = (*spec)["schedulingGates"];
  const bool has = std::any_of(gates.begin(), gates.end(),
                               [](const Json& gate) { return TextAt(gate, "name") == kQueueGate; });
  if (!has) gates.push_back({{"name", kQueueGate}});
}

}  // namespace

void SetGangParts(Json* pod) {
  const std::string& scheduler = TextAt(*pod, "spec.schedulerName");
  const bool is_ours = scheduler == "default-scheduler" || scheduler == "outrigger";
  if (!is_ours || !TextAt(*pod, "spec.nodeName").empty() || !NamesGroup(*pod)) return;
  if (TextAt(*pod, "metadata.namespace") == "kube-system") return;
  Json& spec = (*pod)["spec"];
  if (IsHeld(*pod)) AddGate(&spec);
  if (ListAt(spec, "containers").empty()) return;
  for (const char* part : {"requests", "limits"}) {
    for (const char* name : {"outrigger.dev/gang", "outrigger.dev/gang-bind"}) {
      spec["containers"][0]["resources"][part][name] = "0";
    }
  }
}

}  // namespace outrigger::apiserver
