#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/string_map.h"

namespace outrigger {

/// A PriorityClass (scheduling.k8s.io/v1). A plain value; what was absent is empty or zero.
struct PriorityClass {
  std::string name;
  std::string uid;
  std::string resource_version;
  int32_t value = 0;  // what admission writes into spec.priority of new pods; immutable
  bool global_default = false;
  std::string preemption_policy;  // "PreemptLowerPriority", "Never"; immutable
  std::string description;
  StringMap labels;
  StringMap annotations;
  std::vector<OwnerReference> owners;
  std::vector<std::string> finalizers;
  bool is_deleted = false;            // it has a deletionTimestamp: finalizers keep it
  std::vector<std::string> managers;  // of metadata.managedFields, each once: "helm", "kubectl"
  /// The whole object, an opaque text that PriorityClassAccess reads and writes: fields that this
  /// struct does not have are carried on unchanged. Empty in views of the cluster.
  std::string manifest;
  friend bool operator==(const PriorityClass&, const PriorityClass&) = default;
};

}  // namespace outrigger
