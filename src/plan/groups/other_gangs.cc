#include "plan/groups/other_gangs.h"

#include <string_view>

#include "fmt/format.h"
#include "plan/groups/markers.h"

namespace outrigger::plan {
namespace {

// YuniKorn's task groups have names of their own in each application, which is the gang.
std::string ApplicationOf(const Pod& pod) {
  constexpr std::string_view kAppId = "yunikorn.apache.org/app-id";
  for (const std::string_view id :
       {pod.labels.Get("applicationId"), pod.labels.Get(kAppId), pod.annotations.Get(kAppId)}) {
    if (!id.empty()) return std::string(id);
  }
  return fmt::format("of {}", pod.controller ? pod.controller->uid : pod.uid);
}

}  // namespace

std::string OtherGangOf(const Pod& pod) {
  for (const UnreadMarker& marker : kUnreadMarkers) {
    const std::string_view name =
        (marker.in_annotations ? pod.annotations : pod.labels).Get(marker.key);
    if (name.empty()) continue;
    if (marker.whose == kYuniKorn) return fmt::format("{}/{}", marker.whose, ApplicationOf(pod));
    return fmt::format("{}/{}", marker.whose, name);
  }
  if (!pod.workload.empty()) return fmt::format("Workload/{}", pod.workload);
  for (const GroupOnPod& keys : kOthersOnPod) {
    const std::string_view name =
        (keys.in_annotations ? pod.annotations : pod.labels).Get(keys.name_key);
    if (!name.empty()) return fmt::format("{}/{}", keys.name_key, name);
  }
  return "";
}

}  // namespace outrigger::plan
