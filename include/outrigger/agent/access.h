#pragma once

#include <string>
#include <vector>

namespace outrigger {

/// What an agent does with one kind of objects of the API server, in the words of RBAC. A plain
/// value.
struct AccessRule {
  std::string api_group;  // "" for the core group
  std::string resource;   // "nodes", "pods/binding"
  std::vector<std::string> verbs;
  /// Only the objects of these names (resourceNames); empty: all. RBAC cannot limit `create` by
  /// name, nor `list` and `watch` as they are used here: those belong into rules without names.
  std::vector<std::string> names = {};
  /// In the agent's own namespace alone: a rule of a Role, not of the ClusterRole.
  bool in_own_namespace = false;
  friend bool operator==(const AccessRule&, const AccessRule&) = default;
};

}  // namespace outrigger
