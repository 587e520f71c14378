#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cluster/claim_store.h"
#include "cluster/cluster.h"
#include "codec/json/object_list.h"
#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/pod_group.h"

// All that is planned from: what `outrigger explain gang` reads of a cluster.

namespace outrigger::cli {

struct PlannedCluster {
  std::string where;  ///< "dump.yaml", for messages
  /// At least one node, and all pods; with plan::PlannedPodsIndex().
  std::shared_ptr<const cluster::Snapshot> snapshot;
  std::vector<PodGroup> pod_groups;
  DialectSet served;
  std::map<Dialect, std::string> unknown_versions;  ///< of dialects that are not in `served`
  std::map<std::string, int32_t, std::less<>> priority_classes;
  std::shared_ptr<const ClaimTable> claims;             ///< never null
  std::set<std::string, std::less<>> device_resources;  ///< as of ClusterObjects
  std::vector<std::string> notes;  ///< for people: values that could not be used
};

/// Makes a PlannedCluster of the objects that a source goes through.
class ClusterTaker {
 public:
  /// `where` and `expected` as of ObjectPicker.
  ClusterTaker(std::string where, std::string expected);

  /// Takes an object of json::ForEachObject(); other kinds than those that are planned from are
  /// counted. A PodGroup serves its dialect. InvalidArgument for an object given twice.
  absl::Status Take(const json::ListedObject& object);
  /// The dialect is served, whether or not there is an object of it.
  void Serve(Dialect dialect) { result_.served.Add(dialect); }
  /// The dialect is served, but only in versions that are not known.
  void ServeUnknown(Dialect dialect, std::string versions) {
    result_.unknown_versions[dialect] = std::move(versions);
  }
  /// Sets how pods are counted that are taken from now on; the default is the newest Kubernetes.
  void CountBy(ResizeCounting counting) { counting_ = counting; }
  /// For people; more may be added.
  std::vector<std::string>* Notes() { return &result_.notes; }
  /// To be called once, when all objects were taken. FailedPrecondition if there are no nodes.
  absl::StatusOr<PlannedCluster> Finish();

 private:
  absl::Status TakeNode(const json::ListedObject& object);
  absl::Status TakePod(const json::ListedObject& object);
  absl::Status TakePodGroup(const json::ListedObject& object);
  void NoteUnknownVersion(std::string_view api_version);
  absl::Status TakePriorityClass(const json::ListedObject& object);
  absl::Status TakeVolume(const json::ListedObject& object);
  absl::Status TakeVolumeClaim(const json::ListedObject& object);
  absl::Status TakeDeviceClaim(const json::ListedObject& object);
  absl::Status TakeDeviceClass(const json::ListedObject& object);
  absl::Status TakeName(std::string name);

  const std::string expected_;
  ResizeCounting counting_ = ResizeCounting::kByPod;
  PlannedCluster result_;
  cluster::Cluster cluster_;
  cluster::ClaimStore claims_;
  absl::flat_hash_set<std::string> names_;
  std::map<std::string, size_t> kinds_;
};

}  // namespace outrigger::cli
