#include "scene.h"

#include <algorithm>
#include <utility>

#include "builders.h"

namespace outrigger::sim {
namespace {

constexpr int64_t kBeganAt = 1'700'000'000;

}  // namespace

void Scene::AddNode(const std::string& name, int64_t slots, const std::string& zone) {
  const Node node =
      testing::MakeNode(name).Label("zone", zone).Allocatable("cpu", std::to_string(slots));
  nodes_.push_back({node, slots, zone});
}

void Scene::Create(ScenePod pod) {
  pod.created = now();
  Pod& object = pod.pod;
  const auto since = std::chrono::duration_cast<std::chrono::seconds>(now().time_since_epoch());
  object.creation_time = kBeganAt + since.count();
  object.uid = "uid-" + object.name;
  object.resource_version = std::to_string(++version_);
  object.containers.at(0).requests.Set("cpu", Quantity::FromInt(pod.slots));
  if (!pod.zone.empty()) object.node_selector.Set("zone", pod.zone);
  pod.place = object.node_name;
  const Pod& added = pods_.insert_or_assign(object.name, std::move(pod)).first->second.pod;
  Report(nullptr, &added);
}

void Scene::Delete(const std::string& name) {
  const auto gone = pods_.extract(name);
  if (gone.empty()) return;
  released_.push_back({gone.mapped().place, gone.mapped().slots, now()});
  Report(&gone.mapped().pod, nullptr);
}

absl::Status Scene::Change(const std::string& name, std::string_view uid, std::string_view version,
                           const std::function<void(Pod*)>& change) {
  const auto found = pods_.find(name);
  if (found == pods_.end()) return absl::NotFoundError("no such pod");
  Pod& pod = found->second.pod;
  if (!uid.empty() && pod.uid != uid) return absl::AbortedError("another pod has that name");
  if (!version.empty() && pod.resource_version != version) {
    return absl::AbortedError("the pod has changed");
  }
  const Pod before = pod;
  change(&pod);
  pod.resource_version = std::to_string(++version_);
  Report(&before, &pod);
  return absl::OkStatus();
}

const SceneNode* Scene::FindNode(std::string_view name) const {
  const auto found = std::find_if(nodes_.begin(), nodes_.end(),
                                  [&](const SceneNode& node) { return node.node.name == name; });
  return found == nodes_.end() ? nullptr : &*found;
}

const ScenePod* Scene::Find(const std::string& name) const {
  const auto found = pods_.find(name);
  return found == pods_.end() ? nullptr : &found->second;
}

int64_t Scene::Free(const SceneNode& node) const {
  int64_t free = node.slots;
  for (const auto& [name, pod] : pods_) {
    if (pod.place == node.node.name) free -= pod.slots;
  }
  return free;
}

int64_t Scene::Since(const std::vector<Slots>& all, const SceneNode& node, milliseconds age) const {
  int64_t sum = 0;
  for (const Slots& slots : all) {
    if (slots.node == node.node.name && now() - slots.at < age) sum += slots.count;
  }
  return sum;
}

int64_t Scene::FreeFor(const SceneNode& node, milliseconds age) const {
  return Free(node) - Since(released_, node, age);
}

int64_t Scene::FreeWithin(const SceneNode& node, milliseconds age) const {
  return Free(node) + Since(taken_, node, age);
}

void Scene::Take(const std::string& name, const std::string& node) {
  ScenePod& pod = pods_.at(name);
  pod.place = node;
  taken_.push_back({node, pod.slots, now()});
}

void Scene::Report(const Pod* before, const Pod* after) const {
  for (const Listener& listener : listeners_) listener(before, after);
}

}  // namespace outrigger::sim
