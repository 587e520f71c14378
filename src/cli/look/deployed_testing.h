#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/api.h"

namespace outrigger::cli::look {

/// A pod as `outrigger manifests` makes it.
struct DeployedPod {
  std::string name;
  std::string deployment = "outrigger";
  /// "gang,qos:9970": agents and admin port of a container.
  std::vector<std::string> containers = {"gang,qos:9970"};
  std::string phase = "Running";
  bool is_sidecar = true;  // of a kube-scheduler
  bool is_deleted = false;
};

/// An API server with such pods in kube-system, and Leases. Not thread-safe.
class DeployedAgents final : public kube::Api {
 public:
  absl::StatusOr<kube::ApiResponse> Call(const kube::ApiRequest& request) override;
  absl::Status Stream(const kube::ApiRequest& request, kube::ByteSink sink) override;

  std::string name_space = "kube-system";
  std::vector<DeployedPod> pods;
  /// "kube-system/outrigger" -> holder.
  std::map<std::string, std::string> leases;
  absl::Status lease_error;
};

}  // namespace outrigger::cli::look
