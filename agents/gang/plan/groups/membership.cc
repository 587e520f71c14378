#include <algorithm>

#include "fmt/format.h"
#include "gang/plan/group.h"
#include "gang/plan/groups/integer.h"
#include "gang/plan/groups/markers.h"
#include "outrigger/k8s/label_syntax.h"
#include "sdk/base/dialects.h"

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

// Without a minimum where the pod has none that is well-formed.
std::optional<Membership> OnPod(const GroupOnPod& keys, const Pod& pod, Notes* notes) {
  const StringMap& map = keys.in_annotations ? pod.annotations : pod.labels;
  const std::string_view name = map.Get(keys.name_key);
  const std::string_view text = map.Get(keys.minimum_key);
  if (name.empty()) return std::nullopt;
  const std::string_view what = WordFor(keys.in_annotations);
  if (!IsLabelValue(name)) {
    (void)IsGroupName(pod, fmt::format("{} {}", what, keys.name_key), name, true, notes);
    return std::nullopt;
  }
  Membership found{Dialect::kLabels, pod.namespace_, name, 0, {}, keys.minimum_key};
  const auto minimum = IntegerOf(text);
  if (minimum && *minimum >= 1 && *minimum <= kMaxMembers) {
    found.minimum = *minimum;
  } else if (!text.empty()) {
    Tell(notes, NoteKind::kPodMinimum, pod, name,
         fmt::format("{} {} of pod {} is \"{}\", expected an integer from 1 to {}; it is ignored",
                     what, keys.minimum_key, pod.name, text.substr(0, 64), kMaxMembers));
  }
  return found;
}

// Pods that would have started together, and do not here, are never so in silence.
void TellUnread(const Pod& pod, Notes* notes) {
  if (notes == nullptr) return;
  for (const UnreadMarker& marker : kUnreadMarkers) {
    const StringMap& map = marker.in_annotations ? pod.annotations : pod.labels;
    const std::string_view value = map.Get(marker.key).substr(0, 63);
    if (value.empty()) continue;
    const std::string_view owner = pod.controller ? pod.controller->name : pod.name;
    Tell(notes, NoteKind::kUnreadMarker, pod, marker.names_gang ? value : owner,
         fmt::format(
             "{} {} of {} is not supported: its pods are in no group and start one by one; use {}",
             WordFor(marker.in_annotations), marker.key, marker.whose, marker.instead));
  }
  if (!pod.workload.empty()) {
    Tell(notes, NoteKind::kUnreadMarker, pod, std::string_view(pod.workload).substr(0, 63),
         "field spec.workloadRef of Kubernetes 1.35 is not supported: its pods are in no group and "
         "start one by one; use labels podGroup and minAvailable");
  }
}

// By a label or an annotation, or by the field, which has no key.
std::optional<Membership> Of(const DialectRow& row, const Pod& pod, Notes* notes) {
  const bool is_label = row.place == MarkerPlace::kLabel;
  const bool is_field = row.place == MarkerPlace::kField;
  const std::string_view name = is_field   ? std::string_view(pod.scheduling_group)
                                : is_label ? pod.labels.Get(row.marker)
                                           : pod.annotations.Get(row.marker);
  if (name.empty()) return std::nullopt;
  const std::string source =
      is_field ? std::string(row.marker) : fmt::format("{} {}", WordFor(!is_label), row.marker);
  if (!IsGroupName(pod, source, name, is_label, notes)) return std::nullopt;
  return Membership{row.dialect, pod.namespace_, name, 0, {}, {}};
}

std::string_view RoleOf(const Pod& pod, std::string_view key) {
  if (key.empty()) return {};
  const std::string_view role = pod.annotations.Get(key);
  return role.empty() ? pod.labels.Get(key) : role;
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
                   RowOf((*taken)->dialect).name, RowOf(claim->dialect).name, claim->name));
}

}  // namespace

std::optional<Membership> MembershipOf(const Pod& pod, Notes* notes) {
  std::optional<Membership> taken;
  std::optional<Membership> without_minimum;
  const auto on_pod = [&](const GroupOnPod& keys) {
    auto found = OnPod(keys, pod, notes);
    if (!found || found->minimum != 0) return found;
    if (!without_minimum) without_minimum = found;
    return std::optional<Membership>();
  };
  Take(Of(RowOf(Dialect::kUpstream), pod, notes), pod, notes, &taken);
  Take(on_pod(kLabelsOnPod), pod, notes, &taken);
  for (const DialectRow& row : kDialects) {
    if (row.IsByKey()) Take(Of(row, pod, notes), pod, notes, &taken);
  }
  for (const GroupOnPod& keys : kOthersOnPod) {
    if (!taken) taken = on_pod(keys);
  }
  if (!taken) taken = without_minimum;
  if (!taken) TellUnread(pod, notes);
  if (taken) taken->role = RoleOf(pod, RowOf(taken->dialect).role_key);
  return taken;
}

std::string MinimumText(std::string_view minimum_key) {
  const bool in_annotations =
      std::any_of(kOthersOnPod.begin(), kOthersOnPod.end(), [&](const GroupOnPod& keys) {
        return keys.in_annotations && keys.minimum_key == minimum_key;
      });
  return fmt::format("{} {}", WordFor(in_annotations), minimum_key);
}

std::string NoMinimumText(std::string_view minimum_key) {
  return fmt::format("no pod of the group names its minimum ({}): its pods start one by one",
                     MinimumText(minimum_key));
}

std::string ResourceOf(Dialect dialect) {
  return fmt::format("podgroups.{}", RowOf(dialect).group);
}

}  // namespace outrigger::plan
