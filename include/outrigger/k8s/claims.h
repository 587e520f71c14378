#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "outrigger/k8s/selector.h"
#include "outrigger/k8s/string_map.h"

// Claims of pods, as far as they decide on which nodes the pods may run. Plain values.

namespace outrigger {

/// A PersistentVolume.
struct Volume {
  std::string name;
  std::optional<NodeSelector> node_affinity;  // spec.nodeAffinity.required
  StringMap labels;
  friend bool operator==(const Volume&, const Volume&) = default;
};

/// A PersistentVolumeClaim.
struct VolumeClaim {
  std::string namespace_;
  std::string name;
  std::string volume;              // spec.volumeName; empty: none yet
  bool bound = false;              // bound to that volume, completely
  std::string selected_node;       // for which a volume is being provisioned; empty: none
  std::string storage_class = {};  // empty: none
  bool being_deleted = false;
  friend bool operator==(const VolumeClaim&, const VolumeClaim&) = default;
};

/// A StorageClass.
struct StorageClass {
  std::string name;
  /// volumeBindingMode is WaitForFirstConsumer: a claim is bound once a pod has been given a node.
  /// Otherwise it is bound at once, and kube-scheduler refuses pods until it is.
  bool binds_late = false;
  friend bool operator==(const StorageClass&, const StorageClass&) = default;
};

/// A DeviceClass of resource.k8s.io.
struct DeviceClass {
  std::string name;
  /// spec.extendedResourceName: pods that request it are served by devices of the class; empty:
  /// none.
  std::string extended_resource;
};

/// What a pod requests to get a device of the class, whatever its extended_resource.
inline constexpr std::string_view kDeviceClassResource = "deviceclass.resource.kubernetes.io/";

/// Adds the extended resources that devices of the class serve.
inline void AddDeviceResources(const DeviceClass& of,
                               std::set<std::string, std::less<>>* resources) {
  resources->insert(std::string(kDeviceClassResource) + of.name);
  if (!of.extended_resource.empty()) resources->insert(of.extended_resource);
}

/// A ResourceClaim of resource.k8s.io.
struct DeviceClaim {
  std::string namespace_;
  std::string name;
  bool allocated = false;
  bool reserved = false;                   // for some pod: else kube-scheduler may deallocate it
  std::optional<NodeSelector> nodes = {};  // where the allocation can be used; absent: everywhere
  bool being_deleted = false;
  friend bool operator==(const DeviceClaim&, const DeviceClaim&) = default;
};

/// What a claim requires of the node of a pod that uses it.
struct ClaimWish {
  /// A volume is bound, or devices are allocated, only once a pod has been given a node.
  bool open = false;
  std::vector<NodeSelector> nodes;  // all must match
  /// The node for which a volume is being provisioned: until then waiting pods can use only this
  /// node, later possibly others, too. Empty: none.
  std::string made_for;
  /// Why kube-scheduler rejects pods that use it on every node: "is being deleted"; empty: no known
  /// reason.
  std::string refused = {};
  friend bool operator==(const ClaimWish&, const ClaimWish&) = default;
};

/// All claims, by namespace and name, with their requirements.
using ClaimWishes = std::map<std::pair<std::string, std::string>, ClaimWish>;

/// The requirements of all claims of a cluster.
struct ClaimTable {
  ClaimWishes volumes;  // of PersistentVolumeClaims
  ClaimWishes devices;  // of ResourceClaims
  /// False: the API server does not serve ResourceClaims in the version that we read
  /// (resource.k8s.io/v1, from 1.34); `devices` is then meaningless.
  bool device_claims_served = true;
};

}  // namespace outrigger
