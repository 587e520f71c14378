#pragma once

#include "codec/json/reader.h"
#include "outrigger/agent/needs.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

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

}  // namespace outrigger::json
