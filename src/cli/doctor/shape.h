#pragma once

#include <string>

#include "absl/status/status.h"
#include "cli/doctor/findings.h"
#include "yaml-cpp/node/node.h"

namespace outrigger::cli {

/// Finds fields that kube-scheduler's strict decoder refuses: unknown ones, those given twice, and
/// values of another type. InvalidArgument, with the place in `name`, for what is read otherwise
/// here than there: merge keys, and keys that are no words.
absl::Status CheckShape(const std::string& name, const YAML::Node& root, Findings* findings);

}  // namespace outrigger::cli
