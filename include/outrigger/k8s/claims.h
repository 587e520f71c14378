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

// What pods claim beside the resources of a node, as far as it decides on which nodes they may run.
// Plain values.

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
  bool bound = false;              // to that volume, and nothing is left to be done for it
  std::string selected_node;       // for which a volume is being made; empty: for none
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
  bool reserved = false;  // for some pod: else kube-scheduler may give it back
  std::optional<NodeSelector> nodes =
      {};  // where what is allocated may be used; absent: everywhere
  bool being_deleted = false;
  friend bool operator==(const DeviceClaim&, const DeviceClaim&) = default;
};

/// What a claim asks of the node of a pod that uses it.
struct ClaimWish {
  /// A volume is bound, or devices are allocated, only once a pod has been given a node.
  bool open = false;
  std::vector<NodeSelector> nodes;  // all must match
  /// For which node a volume is being made: no other will do for who waits for it, but once it is
  /// there it may be used elsewhere, too. Empty: for none.
  std::string made_for;
  /// Why kube-scheduler refuses pods that use it, on whatever node: "is being deleted"; empty: it
  /// does not, as far as is known.
  std::string refused = {};
  friend bool operator==(const ClaimWish&, const ClaimWish&) = default;
};

/// All claims, by namespace and name, with what they ask.
using ClaimWishes = std::map<std::pair<std::string, std::string>, ClaimWish>;

/// What all claims of a cluster ask.
struct ClaimTable {
  ClaimWishes volumes;  // of PersistentVolumeClaims
  ClaimWishes devices;  // of ResourceClaims
  /// False: the API server has listed no ResourceClaims, since it does not serve the version
  /// that is read (resource.k8s.io/v1, from 1.34); `devices` says nothing then.
  bool device_claims_served = true;
};

}  // namespace outrigger
