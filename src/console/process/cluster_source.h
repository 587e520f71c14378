#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "console/format/environment.h"
#include "kube/api.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/needs.h"
#include "serve/engine/node_table.h"
#include "serve/server/metrics.h"
#include "serve/server/readiness.h"

namespace outrigger::cli {

/// How `outrigger serve` finds the API server, and how far it trusts what it knows of it.
struct ClusterOptions {
  bool watch = true;
  std::string kubeconfig;  // empty: that of KUBECONFIG, else the pod's service account, if any
  std::string kubeconfig_by = {};  // what names it, for errors
  bool variable = false;           // whether KUBECONFIG is set
  std::string context;             // empty: the kubeconfig's current one
  bool HasKubeconfig() const { return variable || !kubeconfig.empty(); }
  std::chrono::milliseconds max_staleness{90'000};
};

/// The cluster that is followed so that names-only calls can be answered. Thread-safe but for
/// Start() and Stop().
class ClusterSource {
 public:
  virtual ~ClusterSource() = default;

  /// Reads the way to the API server; makes no call. Null if there is none to follow: `watch` is
  /// off, or no kubeconfig is given (KUBECONFIG counts) and this is not a pod. Errors name the file
  /// or variable.
  static absl::StatusOr<std::unique_ptr<ClusterSource>> Make(const ClusterOptions& options,
                                                             const Environment& environment);

  virtual const engine::NodeSource& nodes() const = 0;
  /// What agents see of the cluster and do in it; never null, lives as long as this. Knows nothing
  /// before Start().
  virtual ClusterAccess* access() = 0;
  /// The API server itself, for calls that no agent makes. Lives as long as this.
  virtual kube::Api* api() = 0;

  /// Begins to follow what `needs` names. An API server that cannot be reached is no error: it is
  /// tried until it can, and readiness says so.
  virtual void Start(const Needs& needs) = 0;
  virtual void Stop() = 0;

  /// One line for each kind that is followed: "cluster-nodes".
  virtual std::vector<server::Check> Checks() const = 0;
  virtual server::FollowedCluster Followed() const = 0;
};

}  // namespace outrigger::cli
