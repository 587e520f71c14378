#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "outrigger/k8s/pod.h"

// Manifests of pods as people write them, which no API server has seen.

namespace outrigger::cli {

/// The pods of `text` (YAML or JSON, any number of documents and lists): each Pod, and one for each
/// object with a pod template at spec.template (Job, Deployment, StatefulSet and others),
/// spec.jobTemplate.spec.template (CronJob) or template (PodTemplate), named after the object.
/// Objects without either are left out. `notes` gets what could not be used and what was filled in.
///
/// InvalidArgument names the place of what is wrong; if no pod is there, what is.
absl::StatusOr<std::vector<Pod>> ReadManifest(const std::string& name, std::string text,
                                              std::vector<std::string>* notes);

/// Fills in what the API server would, as far as scheduling feels it, and says what: requests from
/// limits (SetDefaults_Pod), the priority of the two built-in classes, the tolerations of
/// admission (DefaultTolerationSeconds, and memory pressure but for BestEffort), and the QoS class.
/// Empty if nothing was missing.
std::string ApplyDefaults(Pod* pod);

}  // namespace outrigger::cli
