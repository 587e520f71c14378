#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "cluster/snapshot.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::cluster {

/// Files pods under a text, e.g. the value of a label or the name of their group.
struct PodIndex {
  std::string name;  // for people
  /// What a pod is filed under; an empty view: not at all. A pure function.
  std::function<std::string_view(const PodRecord& pod)> key;
};

/// PodIndex of a label's value, prefixed by the namespace and '/'.
struct ClusterOptions {
  std::vector<PodIndex> indexes;
  /// How long an assumed pod is believed without the watch having shown it bound.
  std::chrono::milliseconds assume_for{30'000};
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

/// The view of the cluster while it is kept up to date. Thread-safe: one writer at a time goes on
/// while snapshots are taken and read. An update costs what changed (and the logarithm of the
/// whole), never a copy of all nodes.
class Cluster {
 public:
  explicit Cluster(ClusterOptions options);

  /// O(1) but for a mutex that no update holds for long. Never null. Assumptions that have expired
  /// are not in it.
  std::shared_ptr<const Snapshot> Take();

  /// A node has come or changed. Gives it a new revision.
  void UpsertNode(Node node);
  void RemoveNode(std::string_view name);
  /// A pod has come or changed, as the watch shows it.
  void UpsertPod(const Pod& pod);
  void RemovePod(std::string_view namespace_, std::string_view name);

  /// Counts the pod as being on `node` until the watch shows it bound or gone, ForgetPod() is
  /// called, or assume_for is over. NotFound: no such pod of that UID, or it is finished;
  /// FailedPrecondition: it is bound, or assumed, to another node. Idempotent.
  absl::Status AssumePod(std::string_view namespace_, std::string_view name, std::string_view uid,
                         std::string_view node);
  /// Takes an assumption back; no effect if there is none.
  void ForgetPod(std::string_view namespace_, std::string_view name, std::string_view uid);
};

}  // namespace outrigger::cluster
