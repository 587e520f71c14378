#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace outrigger::cli {

/// The shapes of nodes that the prototype's two generators know.
std::vector<std::string> ShapeNames();

/// Nodes of a shape with their pools, and the drivers, as YAML for `kubectl apply`.
/// InvalidArgument: there is no such shape; the text lists them.
absl::StatusOr<std::string> ShapeYaml(const std::string& shape, int nodes);

}  // namespace outrigger::cli
