#include "fmt/format.h"
#include "outrigger/k8s/label_syntax.h"
#include "outrigger/plan/group.h"
#include "plan/groups/integer.h"
#include "plan/groups/markers.h"

namespace outrigger::plan {
namespace {

constexpr size_t kMaxObjectName = 253;

void Tell(Notes* notes, NoteKind kind, const Pod& pod, std::string_view name,
          std::string_view text) {
  if (notes != nullptr) notes->Add(kind, fmt::format("{}/{}", pod.namespace_, name), text);
}

// True if `name`, the value of what is called `source`, names a group; an empty one is as none.
bool IsGroupName(const Pod& pod, std::string_view source, std::string_view name, bool is_label,
                 Notes* notes) {
  if (name.empty()) return false;
  if (is_label ? IsLabelValue(name) : name.size() <= kMaxObjectName) return true;
  const std::string_view expected =
      is_label ? "a label value of up to 63 characters" : "a name of up to 253 characters";
  Tell(notes, NoteKind::kGroupName, pod, pod.name,
       fmt::format("{} is \"{}\", expected {}; the pod is in no group", source, name.substr(0, 64),
                   expected));
  return false;
}

std::string_view WordFor(bool in_annotations) {
  return in_annotations ? "annotation" : "label";
}

std::optional<Membership> OnPod(const GroupOnPod& keys, const Pod& pod, Notes* notes) {
  const StringMap& map = keys.in_annotations ? pod.annotations : pod.labels;
  const std::string_view name = map.Get(keys.name_key);
  const std::string_view text = map.Get(keys.minimum_key);
  if (name.empty() || text.empty()) return std::nullopt;
  const std::string_view what = WordFor(keys.in_annotations);
  if (!IsLabelValue(name)) {
    (void)IsGroupName(pod, fmt::format("{} {}", what, keys.name_key), name, true, notes);
    return std::nullopt;
  }
  const auto minimum = IntegerOf(text);
  if (minimum && *minimum >= 1 && *minimum <= kMaxMembers) {
    return Membership{Dialect::kLabels, pod.namespace_, name, *minimum, {}, keys.minimum_key};
  }
  Tell(notes, NoteKind::kPodMinimum, pod, name,
       fmt::format("{} {} of pod {} is \"{}\", expected an integer from 1 to {}; it is in no group",
                   what, keys.minimum_key, pod.name, text.substr(0, 64), kMaxMembers));
  return std::nullopt;
}

// Pods that would have started together, and do not here, are never so in silence.
void TellUnread(const Pod& pod, Notes* notes) {
  if (notes == nullptr) return;
  for (const UnreadMarker& marker : kUnreadMarkers) {
    const StringMap& map = marker.in_annotations ? pod.annotations : pod.labels;
    const std::string_view name = map.Get(marker.key).substr(0, 63);
    if (name.empty()) continue;
    Tell(notes, NoteKind::kUnreadMarker, pod, name,
         fmt::format("{} {} of {} is not read: its pods are in no group and start one by one",
                     WordFor(marker.in_annotations), marker.key, marker.whose));
  }
  if (!pod.workload.empty()) {
    Tell(
        notes, NoteKind::kUnreadMarker, pod, std::string_view(pod.workload).substr(0, 63),
        "field spec.workloadRef of Kubernetes 1.35 is not read: its pods are in no group and start "
        "one by one");
  }
  for (const GroupOnPod& keys : kOthersOnPod) {
    const StringMap& map = keys.in_annotations ? pod.annotations : pod.labels;
    const std::string_view name = map.Get(keys.name_key);
    if (name.empty() || !map.Get(keys.minimum_key).empty()) continue;
    Tell(notes, NoteKind::kUnreadMarker, pod, name.substr(0, 63),
         fmt::format("{} {} counts with {} alone, which is missing: its pods are in no group",
                     WordFor(keys.in_annotations), keys.name_key, keys.minimum_key));
  }
}

std::optional<Membership> Of(Dialect dialect, const Pod& pod, std::string_view source,
                             std::string_view name, bool is_label, Notes* notes) {
  if (!IsGroupName(pod, source, name, is_label, notes)) return std::nullopt;
  return Membership{dialect, pod.namespace_, name, 0, {}, {}};
}

std::string_view RoleOf(const Pod& pod) {
  const std::string_view role = pod.annotations.Get(kVolcanoRole);
  return role.empty() ? pod.labels.Get(kVolcanoRole) : role;
}

// Takes `claim` unless an earlier dialect has the pod already.
void Take(std::optional<Membership> claim, const Pod& pod, Notes* notes,
          std::optional<Membership>* taken) {
  if (!claim) return;
  if (!*taken) {
    *taken = claim;
    return;
  }
  Tell(notes, NoteKind::kTwoDialects, pod, (*taken)->name,
       fmt::format("pods name a group in two ways: {} counts, {} (\"{}\") does not",
                   NameOf((*taken)->dialect), NameOf(claim->dialect), claim->name));
}

}  // namespace

std::optional<Membership> MembershipOf(const Pod& pod, Notes* notes) {
  std::optional<Membership> taken;
  Take(Of(Dialect::kUpstream, pod, "spec.schedulingGroup.podGroupName", pod.scheduling_group, false,
          notes),
       pod, notes, &taken);
  Take(OnPod(kLabelsOnPod, pod, notes), pod, notes, &taken);
  Take(Of(Dialect::kSchedulerPlugins, pod, "label scheduling.x-k8s.io/pod-group",
          pod.labels.Get(kSchedulerPluginsLabel), true, notes),
       pod, notes, &taken);
  Take(Of(Dialect::kKoordinator, pod, "label pod-group.scheduling.sigs.k8s.io",
          pod.labels.Get(kSigsLabel), true, notes),
       pod, notes, &taken);
  Take(Of(Dialect::kVolcano, pod, "annotation scheduling.k8s.io/group-name",
          pod.annotations.Get(kVolcanoAnnotation), false, notes),
       pod, notes, &taken);
  for (const GroupOnPod& keys : kOthersOnPod) {
    if (!taken) taken = OnPod(keys, pod, notes);
  }
  if (!taken) TellUnread(pod, notes);
  if (taken && taken->dialect == Dialect::kVolcano) taken->role = RoleOf(pod);
  return taken;
}

std::string_view NameOf(Dialect dialect) {
  switch (dialect) {
    case Dialect::kNone:
      return "none";
    case Dialect::kLabels:
      return "labels podGroup and minAvailable";
    case Dialect::kSchedulerPlugins:
      return "scheduling.x-k8s.io";
    case Dialect::kKoordinator:
      return "scheduling.sigs.k8s.io";
    case Dialect::kVolcano:
      return "scheduling.volcano.sh";
    case Dialect::kUpstream:
      return "scheduling.k8s.io";
  }
  return "";
}

std::string_view ResourceOf(Dialect dialect) {
  switch (dialect) {
    case Dialect::kNone:
    case Dialect::kLabels:
      return "";
    case Dialect::kSchedulerPlugins:
      return "podgroups.scheduling.x-k8s.io";
    case Dialect::kKoordinator:
      return "podgroups.scheduling.sigs.k8s.io";
    case Dialect::kVolcano:
      return "podgroups.scheduling.volcano.sh";
    case Dialect::kUpstream:
      return "podgroups.scheduling.k8s.io";
  }
  return "";
}

std::string_view MinimumFieldOf(Dialect dialect) {
  switch (dialect) {
    case Dialect::kNone:
      return "";
    case Dialect::kLabels:
      return "label minAvailable";
    case Dialect::kUpstream:
      return "spec.schedulingPolicy.gang.minCount";
    case Dialect::kSchedulerPlugins:
    case Dialect::kKoordinator:
    case Dialect::kVolcano:
      return "spec.minMember";
  }
  return "";
}

}  // namespace outrigger::plan
