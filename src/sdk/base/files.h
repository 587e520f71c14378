#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace outrigger {

/// The whole of a regular file or pipe of at most `largest` bytes. Errors name path and cause:
/// NotFound where there is none, ResourceExhausted where it is larger, else Unavailable.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path, size_t largest);

/// Changes whenever the file behind `path` is written or replaced, as far as its metadata tells;
/// empty where there is none.
std::string FileVersion(const std::string& path);

/// `path` as seen from the folder of `beside`, unless it is absolute or empty.
std::string ResolveBeside(std::string_view beside, std::string_view path);

/// Replaces `path` by a file with `content`: a reader sees the old one or the whole new one.
absl::Status WriteFileAtomically(const std::string& path, std::string_view content);

}  // namespace outrigger
