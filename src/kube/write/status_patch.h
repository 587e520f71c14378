#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "kube/api.h"
#include "kube/objects.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/k8s/pod.h"

// What is merged into objects on behalf of agents.

namespace outrigger::kube {

/// The object `status` of a merge patch, as JSON: what a PodGroup of `dialect` has fields for.
/// `version`: that of the PodGroup; its condition has two names.
std::string GroupStatusJson(Dialect dialect, std::string_view version, const PodGroupStatus& status,
                            std::chrono::system_clock::time_point now);

/// Writes status.nominatedNodeName of the pod; an empty `node` takes it away. With a
/// `resource_version`, only of that version. Aborted: another pod has the name, or another version;
/// NotFound: there is none. Idempotent. `options.rate_limited` counts.
absl::Status NominateNode(Api& api, const PodId& pod, std::string_view node,
                          std::string_view resource_version, const CallOptions& options);

/// Takes that scheduling gate off the pod, and sets these annotations of it; its other gates stay,
/// and so does a pod without it. Errors as of NominateNode(). `options.rate_limited` counts.
absl::Status RemoveGate(Api& api, const PodId& pod, std::string_view gate,
                        const StringMap& annotations, const CallOptions& options);

/// Sets the pod's condition PodScheduled to False, as kube-scheduler does for a pod that found no
/// node: the time of its last transition stays where it was False before. What it says already is
/// taken from `pod`, which Needs().PodStatus() was read of; where that is the same, nothing is
/// written. With a `resource_version`, only of that version. Errors as of NominateNode().
/// `options.rate_limited` counts.
absl::Status WriteUnscheduled(Api& api, const Pod& pod, std::string_view reason,
                              std::string_view message, std::chrono::system_clock::time_point now,
                              const CallOptions& options, std::string_view resource_version = {});

/// Writes what the PodGroup's dialect has fields for; the rest of its status stays, but for its
/// conditions. `version`: the one that the server serves; empty: the newest known. A PodGroup of
/// another UID is Aborted; where the API server leaves that to us (of CRDs) the other one has been
/// written by then. InvalidArgument: the dialect has no objects.
absl::Status WriteGroupStatus(Api& api, const PodGroup& group, std::string_view version,
                              const PodGroupStatus& status,
                              std::chrono::system_clock::time_point now,
                              const CallOptions& options);

/// Sets an annotation of the PodGroup of that UID, in the version that the server serves; an empty
/// `value` removes it. Errors as of WriteGroupStatus(), and InvalidArgument without a UID; nothing
/// of another UID is written. `options.rate_limited` counts.
absl::Status AnnotateGroup(Api& api, const PodGroup& group, std::string_view version,
                           std::string_view key, std::string_view value,
                           const CallOptions& options);

}  // namespace outrigger::kube
