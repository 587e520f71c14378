#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace outrigger::cli {

/// The whole of a file, at most 1 GiB. Errors name the path and the cause.
absl::StatusOr<std::string> ReadFile(const std::string& path);

/// An error about what a flag, variable or setting names: "--kubeconfig: k.yaml: has no contexts".
absl::Status Of(std::string_view source, const absl::Status& status);

}  // namespace outrigger::cli
