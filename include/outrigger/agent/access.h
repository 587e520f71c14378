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
  friend bool operator==(const AccessRule&, const AccessRule&) = default;
};

}  // namespace outrigger
