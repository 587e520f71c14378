#include "cli/format/files.h"

#include "base/files.h"
#include "fmt/format.h"

namespace outrigger::cli {

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  constexpr size_t kLargest = size_t{1} << 30;
  absl::StatusOr<std::string> content = ReadSmallFile(path, kLargest);
  if (content.ok()) return content;
  const std::string text = fmt::format("cannot read {}", std::string(content.status().message()));
  return absl::IsResourceExhausted(content.status()) ? absl::ResourceExhaustedError(text)
                                                     : absl::UnavailableError(text);
}

}  // namespace outrigger::cli
