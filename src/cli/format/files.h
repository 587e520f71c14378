#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace outrigger::cli {

/// The whole of a file, at most 1 GiB. Errors name the path and the cause.
absl::StatusOr<std::string> ReadFile(const std::string& path);

/// Replaces `path` by a file with `content`: a reader sees the old one or the whole new one.
absl::Status WriteFileAtomically(const std::string& path, std::string_view content);

}  // namespace outrigger::cli
