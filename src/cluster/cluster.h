#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

#include "absl/status/status.h"
#include "cluster/snapshot.h"
#include "outrigger/base/clock.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::cluster {

/// Files pods under a text, e.g. the value of a label or the name of their group.
struct PodIndex {
  std::string name;  // for people
  /// What a pod is filed under; an empty view: not at all. A pure function.
  std::function<std::string_view(const PodRecord& pod)> key;
  /// The same text in two namespaces is two values: pods are filed under "<namespace>/<key>".
  bool per_namespace = false;
  /// By which Snapshot::FindIndex() finds it, wherever it is in ClusterOptions::indexes: the type
  /// of its reader. void: it is found by its position alone.
  std::type_index type = typeid(void);
};

/// The index of the values of a label, in each namespace by itself.
PodIndex LabelIndex(std::string_view label);

struct ClusterOptions {
  std::vector<PodIndex> indexes;
  /// How long an assumed pod is believed without the watch having shown it bound.
  std::chrono::milliseconds assume_for{30'000};
  SteadyNow now = std::chrono::steady_clock::now;
  /// Called after changes of the generation, by the thread that made it (Take() makes those of
  /// assumptions that have expired), without a lock; must be quick. May be null.
  std::function<void()> changed = nullptr;
  /// Called instead after a change of nothing but what only ChangeScope::kAllAndStates has.
  std::function<void()> state_changed = nullptr;
};

/// The view of the cluster while it is kept up to date. Thread-safe: updates go on while snapshots
/// are taken and read. An update costs what changed (for a pod: the pods of its node) and the
/// logarithm of the whole, never a copy of all nodes. Reading a snapshot, and dropping the last
/// pointer to it, takes no lock.
///
/// An update that says what is known already costs a comparison and nothing more: neither
/// generation nor revision changes. One that brings nothing but a new resource version is shown in
/// the snapshots to come and changes neither, too.
class Cluster {
 public:
  explicit Cluster(ClusterOptions options);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// O(1) but for a mutex that no update holds for long, and the assumptions that have expired
  /// since the last call, which are not in it. Never null. May outlive the Cluster.
  std::shared_ptr<const Snapshot> Take();

  /// A node has come or changed: it gets a new revision, unless nothing but its resource version is
  /// new. `node.revision` is not read. Pods that wait for the node are counted on it from now on.
  void UpsertNode(const Node& node);
  /// Its pods stay in the view, on no node, until it comes back or they go.
  void RemoveNode(std::string_view name);
  /// A pod has come or changed, as the watch shows it. It replaces the one of the same namespace
  /// and name, whatever its UID. A pod on a node that is not known waits for it.
  void UpsertPod(const Pod& pod);
  void RemovePod(std::string_view namespace_, std::string_view name);

  /// Counts the pod as being on `node` until the watch shows it bound (there or elsewhere),
  /// finished, replaced by a pod of another UID or gone, ForgetPod() is called, or assume_for is
  /// over. An update that shows it without a node changes nothing of that. NotFound: no such pod of
  /// that UID, or it is finished; FailedPrecondition: it is bound, or assumed, to another node. Of
  /// a pod that is assumed there already it only renews the time; one that is bound there stays so.
  absl::Status AssumePod(std::string_view namespace_, std::string_view name, std::string_view uid,
                         std::string_view node);
  /// Takes an assumption back; no effect if there is none about the pod of that UID.
  void ForgetPod(std::string_view namespace_, std::string_view name, std::string_view uid);

 private:
  class State;
  const std::unique_ptr<State> state_;
};

}  // namespace outrigger::cluster
