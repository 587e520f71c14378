#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/api.h"
#include "kube/objects.h"

// Which pod shows the pages of agents that `outrigger manifests` deployed.

namespace outrigger::cli::look {

/// What is sought.
struct SoughtAgents {
  std::string name_space = "kube-system";
  std::vector<std::string> agents = {};  ///< of one container; empty: one with gang or qos
  std::string deployment = {};           ///< empty: any
};

/// A container whose process leads. A plain value.
struct LeadingPod {
  std::string name_space = {};
  std::string pod = {};
  std::string deployment = {};
  std::vector<std::string> agents = {};  ///< "gang", "qos"; an annotator: "annotate-usage"
  uint16_t admin_port = 0;
  std::string lease = {};  ///< "kube-system/outrigger"; empty: no Lease, but there is one pod only

  /// "gang,qos in pod kube-system/outrigger-x".
  std::string Text() const;
};

/// Returns the container with the agents that are sought, in the pod that holds a Lease. Makes two
/// or three calls. Errors name what is wrong and what to do: NotFound: no such pod, or none with
/// these agents. InvalidArgument: several containers have them, with the choices. Unavailable: no
/// pod runs or leads. Those of the API server as Api::Call() has them.
absl::StatusOr<LeadingPod> FindLeadingPod(kube::Api& api, const SoughtAgents& sought,
                                          const kube::CallOptions& options = {});

}  // namespace outrigger::cli::look
