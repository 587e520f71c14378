#pragma once

#include <string>
#include <vector>

namespace outrigger {

/// One RBAC rule: what an agent does with one resource of the API server. A plain value.
struct AccessRule {
  std::string api_group;  // "" for the core group
  std::string resource;   // "nodes", "pods/binding"
  std::vector<std::string> verbs;
  /// Only the objects of these names (resourceNames); empty: all. RBAC cannot restrict `create` by
  /// name, nor `list` and `watch` as we use them: put these into rules without names.
  std::vector<std::string> names = {};
  /// Only in the agent's own namespace: the rule goes into a Role, not into the ClusterRole.
  bool in_own_namespace = false;
  friend bool operator==(const AccessRule&, const AccessRule&) = default;
};

}  // namespace outrigger
