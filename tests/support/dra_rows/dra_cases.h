#pragma once

#include <vector>

#include "devices/dra/allocator.h"
#include "nlohmann/json.hpp"
#include "outrigger/k8s/node.h"

// Cases of the oracle: {"nodes", "slices", "classes", "claims", "allocated"}, each a list of
// objects as Kubernetes writes them.

namespace outrigger::dra::testing {

struct Case {
  std::vector<Node> nodes;
  Cluster cluster;  ///< with the claims that are allocated
  std::vector<Claim> claims;
};

/// Throws std::runtime_error on a case that cannot be read.
Case ReadCase(const nlohmann::json& json);

/// {"fits": true, "allocations": [...]}, {"fits": false}, {"error": "...", "scope": "node"} or
/// {"unsure": "..."}.
nlohmann::json ToJson(const Answer& answer);

/// What each node would give, by name.
nlohmann::json AnswersTo(const nlohmann::json& of_case);

}  // namespace outrigger::dra::testing
