#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"
#include "timeline.h"

namespace outrigger::sim {

/// A node of so many slots: its cpu.
struct SceneNode {
  Node node;
  int64_t slots = 0;
  std::string zone;
};

/// A pod as the API server has it, and where it is or is about to be.
struct ScenePod {
  Pod pod;
  int64_t slots = 1;  // its cpu
  std::string zone;   // it runs on nodes of that zone only; empty: on all
  Time created;
  std::string place;  // the node for which it was let through, bound or not

  bool IsPending() const { return place.empty() && !pod.being_deleted; }
};

/// The API server of a simulation, and what is really free on its nodes. Not thread-safe.
class Scene {
 public:
  /// `before` is null for a new pod, `after` for one that is gone.
  using Listener = std::function<void(const Pod* before, const Pod* after)>;

  explicit Scene(Timeline* timeline) : timeline_(timeline) {}

  void AddNode(const std::string& name, int64_t slots, const std::string& zone);
  /// Calls `listener` at each change of a pod, in the order in which listeners were added.
  void Listen(Listener listener) { listeners_.push_back(std::move(listener)); }

  /// Sets what the API server sets: uid, times and the pod's requests.
  void Create(ScenePod pod);
  void Delete(const std::string& name);
  /// Writes a pod. NotFound; Aborted for another `uid` or `version`, where they are given.
  absl::Status Change(const std::string& name, std::string_view uid, std::string_view version,
                      const std::function<void(Pod*)>& change);
  /// The pod was let through to `node`; its slots are taken from now on.
  void Take(const std::string& name, const std::string& node);

  const std::vector<SceneNode>& nodes() const { return nodes_; }
  const SceneNode* FindNode(std::string_view name) const;
  const std::map<std::string, ScenePod>& pods() const { return pods_; }
  const ScenePod* Find(const std::string& name) const;
  Time now() const { return timeline_->now(); }

  int64_t Free(const SceneNode& node) const;
  /// The same without what came free within `age`.
  int64_t FreeFor(const SceneNode& node, milliseconds age) const;
  /// The same with what was taken within `age`.
  int64_t FreeWithin(const SceneNode& node, milliseconds age) const;
  static bool MayUse(const ScenePod& pod, const SceneNode& node) {
    return pod.zone.empty() || pod.zone == node.zone;
  }
  bool Fits(const ScenePod& pod, const SceneNode& node) const {
    return MayUse(pod, node) && Free(node) >= pod.slots;
  }

 private:
  void Report(const Pod* before, const Pod* after) const;

  Timeline* const timeline_;
  std::vector<SceneNode> nodes_;
  std::map<std::string, ScenePod> pods_;
  std::vector<Listener> listeners_;
  struct Slots {
    std::string node;
    int64_t count;
    Time at;
  };
  int64_t Since(const std::vector<Slots>& all, const SceneNode& node, milliseconds age) const;
  std::vector<Slots> released_, taken_;
  int64_t version_ = 0;
};

}  // namespace outrigger::sim
