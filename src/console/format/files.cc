#include "console/format/files.h"

#include "fmt/format.h"
#include "sdk/base/files.h"

namespace outrigger::cli {

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  constexpr size_t kLargest = size_t{1} << 30;
  absl::StatusOr<std::string> content = ReadSmallFile(path, kLargest);
  if (content.ok()) return content;
  const std::string text = fmt::format("cannot read {}", std::string(content.status().message()));
  return absl::IsResourceExhausted(content.status()) ? absl::ResourceExhaustedError(text)
                                                     : absl::UnavailableError(text);
}

absl::Status Of(std::string_view source, const absl::Status& status) {
  if (status.ok() || source.empty()) return status;
  return {status.code(), fmt::format("{}: {}", source, std::string(status.message()))};
}

}  // namespace outrigger::cli
