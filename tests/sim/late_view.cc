#include "late_view.h"

#include <optional>
#include <utility>

namespace outrigger::sim {

LateView::LateView(Scene* scene, Timeline* timeline, milliseconds delay,
                   std::function<void(Pod* pod)> shown)
    : scene_(scene) {
  for (const SceneNode& node : scene->nodes()) Put(node.node);
  scene->Listen([this, timeline, delay, shown](const Pod* before, const Pod* after) {
    if (after == nullptr) {
      timeline->After(delay, [this, name = before->name] { RemovePod(name); });
      return;
    }
    Pod pod = *after;
    if (shown) shown(&pod);
    timeline->After(delay, [this, pod = std::move(pod)] { Show(pod); });
  });
}

absl::Status LateView::Nominate(const PodId& pod, std::string_view node,
                                std::string_view resource_version, const CallLimits& /*limits*/) {
  return scene_->Change(std::string(pod.name), pod.uid, resource_version,
                        [&](Pod* changed) { changed->nominated_node_name = node; });
}

absl::Status LateView::WriteUnscheduled(const Pod& pod, std::string_view message,
                                        const CallLimits& /*limits*/) {
  return scene_->Change(pod.name, pod.uid, pod.resource_version,
                        [&](Pod* changed) { changed->unscheduled_message = message; });
}

absl::StatusOr<Pod> LateView::Read(std::string_view /*namespace_*/, std::string_view name,
                                   const CallLimits& /*limits*/) {
  const ScenePod* const pod = scene_->Find(std::string(name));
  if (pod == nullptr) return absl::NotFoundError("no such pod");
  return pod->pod;
}

}  // namespace outrigger::sim
