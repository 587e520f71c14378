#pragma once

#include "codec/json/reader.h"
#include "outrigger/agent/needs.h"
#include "outrigger/k8s/claims.h"
#include "outrigger/k8s/disruption_budget.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/selector.h"

// Readers of Kubernetes objects. All overwrite what they read and leave out what nobody needs.

namespace outrigger::json {

absl::Status Read(Value value, const Path& at, NodeSelector* selector);
absl::Status Read(Value value, const Path& at, Affinity* affinity);
absl::Status Read(Value value, const Path& at, TopologySpreadConstraint* constraint);

/// Reads `pod` anew, nothing of its former content stays. `value` is not null.
absl::Status ReadPod(Value value, const Path& at, const Needs& needs, Pod* pod);
absl::Status ReadPod(Object object, const Path& at, const Needs& needs, Pod* pod);

/// True if anything of a node's status is needed.
bool ReadsNodeStatus(const Needs& needs);

/// "True" and "False"; all else is not known.
ConditionStatus ParseConditionStatus(std::string_view text);

/// Makes `node` empty and keeps the memory of its parts.
void ClearNode(Node* node);

/// Reads `node` anew, into the memory it has. `raw` gets its exact bytes, from bracket to bracket.
/// `value` is not null. A `kind` other than Node is InvalidArgument.
absl::Status ReadNode(Value value, const Path& at, const Needs& needs, Node* node,
                      std::string_view* raw);
absl::Status ReadNode(Object object, const Path& at, const Needs& needs, Node* node);

// Readers of what pods claim. All read anew; kind and apiVersion are not looked at. InvalidArgument
// names the place of what has a wrong type, or of a name that is missing.

absl::Status ReadVolume(Object object, const Path& at, Volume* volume);
absl::Status ReadVolumeClaim(Object object, const Path& at, VolumeClaim* claim);
absl::Status ReadStorageClass(Object object, const Path& at, StorageClass* of);
/// Of resource.k8s.io/v1.
absl::Status ReadDeviceClaim(Object object, const Path& at, DeviceClaim* claim);
absl::Status ReadDeviceClass(Object object, const Path& at, DeviceClass* of);

/// Reads a PodDisruptionBudget of policy/v1 anew. Its kind and apiVersion are not looked at.
/// InvalidArgument names the place of what has a wrong type.
absl::Status ReadDisruptionBudget(Object object, const Path& at, DisruptionBudget* budget);

/// Read a LabelSelector and one of its matchExpressions, as Read() of other types do; readers of
/// optional ones and of lists find them by their namespace.
absl::Status Read(Value value, const Path& at, SelectorRequirement* requirement);
absl::Status Read(Value value, const Path& at, LabelSelector* selector);

}  // namespace outrigger::json
