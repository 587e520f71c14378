#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "codec/json/object_list.h"
#include "console/reading/agent_events.h"
#include "console/reading/planned_cluster.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

// Where `outrigger explain` gets the objects of a cluster from.

namespace outrigger::cli {

struct PodName {
  std::string name_space;  ///< empty: not said; then where there is only one of that name
  std::string name;
};

/// What was found, with every field that scheduling reads.
struct FoundObjects {
  std::vector<Node> nodes;  ///< at least one; every name once
  std::optional<Pod> pod;   ///< if one was asked for
  /// The nodes with all pods, if they were asked for and may be read.
  std::shared_ptr<const cluster::Snapshot> snapshot;
  std::vector<std::string> notes;  ///< for people: values that could not be used
};

/// A cluster, or what was written down of one. Not thread-safe.
class ClusterObjects {
 public:
  virtual ~ClusterObjects() = default;
  /// All nodes, `pod` if it is not null, and all pods if they are wanted. NotFound names pods with
  /// names that are near; FailedPrecondition if there are no nodes. Texts say where it was looked.
  virtual absl::StatusOr<FoundObjects> Find(const PodName* pod, bool with_all_pods) = 0;
  /// All that is planned from. Errors as those of Find().
  virtual absl::StatusOr<PlannedCluster> ReadPlanned() = 0;
  /// Calls `on_object` for each pod, one at a time, and if wanted for each PriorityClass. Errors as
  /// those of Find(), and the first of `on_object`.
  virtual absl::Status ForEachPod(bool with_classes, json::OnObject on_object) = 0;
  /// Calls `on_object` for each node, each namespace and each object of devmgmtproto.k8s.io, and
  /// for `pod` if it is not null; of what was written down, for everything. `notes` gets kinds that
  /// are not there. Errors as those of ForEachPod(); NotFound: there is no such pod.
  virtual absl::Status ForEachDeviceObject(const PodName* pod, json::OnObject on_object,
                                           std::vector<std::string>* notes) = 0;
  /// The same for each node and each object of resource.k8s.io. PermissionDenied: slices, classes
  /// or claims may not be read.
  virtual absl::Status ForEachDraObject(const PodName* pod, json::OnObject on_object,
                                        std::vector<std::string>* notes) = 0;
  /// Calls `on_object` for each DevicePool, and where there is one for each node and ResourceSlice;
  /// of what was written down, for everything, also after ForEachPod(). `notes` gets kinds that may
  /// not be read. Errors as those of ForEachPod().
  virtual absl::Status ForEachPublication(json::OnObject on_object,
                                          std::vector<std::string>* notes) = 0;
  /// What agent gang has told in a namespace; nothing where that was not written down. Errors as
  /// those of a call of the API server.
  virtual absl::StatusOr<std::vector<Told>> ReadTold(const std::string& name_space) = 0;
  /// Where names are looked for if no namespace is said; empty: everywhere.
  virtual std::string DefaultNamespace() const = 0;
};

/// Picks nodes and one pod out of the objects that a source goes through.
class ObjectPicker {
 public:
  /// `where` ("dump.yaml") is for messages; `pod` may be null. `expected` says what a file should
  /// have where something is missing; empty for a live cluster, which has what it has.
  ObjectPicker(std::string where, const PodName* pod, std::string expected);

  /// From now on pods are kept for FoundObjects::snapshot.
  void KeepPods() { cluster_ = std::make_unique<cluster::Cluster>(cluster::ClusterOptions()); }
  /// Takes a pod for FoundObjects::snapshot, and for nothing else.
  absl::Status Place(const json::ListedObject& pod);
  /// They may not be read: there will be no snapshot.
  void DropPods(std::string note);

  /// Takes an object of json::ForEachObject(). InvalidArgument for a node or the pod given twice.
  absl::Status Take(const json::ListedObject& object);
  /// To be called once, when all objects were taken; as ClusterObjects::Find().
  absl::StatusOr<FoundObjects> Finish();

 private:
  absl::Status TakeNode(const json::ListedObject& object);
  absl::Status TakePod(const json::ListedObject& object);
  absl::Status NoPod() const;

  const std::string where_;
  const std::optional<PodName> wanted_;
  const std::string expected_;
  std::vector<Node> nodes_;
  absl::flat_hash_set<std::string> node_names_;
  std::vector<Pod> found_;  // pods of the wanted name
  std::vector<PodName> pods_;
  std::map<std::string, size_t> kinds_;
  std::vector<json::MalformedValue> malformed_;
  std::unique_ptr<cluster::Cluster> cluster_;  // null: pods are not kept
  std::vector<std::string> notes_;
};

/// FailedPrecondition: nothing of `kinds` is a node. `expected` as of ObjectPicker.
absl::Status NoNodes(const std::string& where, const std::map<std::string, size_t>& kinds,
                     const std::string& expected);

/// "node n1: status.allocatable.cpu: "x" is not accepted; expected ...; treated as absent". `owner`
/// is what has the value if it is no node.
std::string NoteOf(const json::MalformedValue& value, const std::string& owner);

/// The objects in `text`: YAML or JSON as `kubectl get nodes,pods -A -o yaml` prints them. `name`
/// is for messages. It is read by Find(), once.
std::unique_ptr<ClusterObjects> ObjectsInDump(std::string name, std::string text);

}  // namespace outrigger::cli
