#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "devices/commands/claims/placement.h"
#include "nlohmann/json_fwd.hpp"

// What `outrigger explain pod` says of a pod's device claims: node by node and pool by pool.

namespace outrigger::cli {

/// A pool of a node, as one claim of the pod sees it.
struct ExplainedPool {
  std::string claim;
  PoolView view;
  int64_t gets = 0;  ///< devices of it that the claim gets, if the node fits
  /// What others hold of it, by claim: "namespace/name" to devices.
  std::map<std::string, int64_t> held;
};

struct ExplainedNodeClaims {
  NodePlacement placement;
  std::vector<ExplainedPool> pools;  ///< by claim, then pool
};

/// A pod's claims on the nodes that are shown. What it points to outlives it.
struct ExplainedClaims {
  std::vector<std::string> names;  ///< of the claims
  size_t nodes = 0;                ///< of the cluster
  size_t fitting = 0;              ///< of these
  size_t with_room = 0;            ///< of these: the pod fits there, too, as far as is known
  std::vector<ExplainedNodeClaims> shown;
};

/// `shown` are names of nodes; empty: all.
ExplainedClaims ExplainClaims(const Placement& placement, const std::vector<std::string>& shown);

/// A line with counts, and a row per node and below it one for each claim and pool.
std::string ClaimsTable(const ExplainedClaims& explained, bool color, size_t columns);
nlohmann::ordered_json ClaimsJson(const ExplainedClaims& explained);

}  // namespace outrigger::cli
