#include "cli/format/files.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <system_error>

#include "fmt/format.h"

namespace outrigger::cli {
namespace {

absl::Status FileError(std::string_view doing, const std::string& path) {
  const std::string cause = std::error_code(errno, std::generic_category()).message();
  return absl::UnavailableError(fmt::format("cannot {} {}: {}", doing, path, cause));
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  constexpr size_t kLargest = size_t{1} << 30;
  std::ifstream file(path, std::ios::binary);
  if (!file) return FileError("read", path);
  std::string content;
  char part[1 << 16];
  // Not by size: a path may name a pipe.
  while (file.read(part, sizeof part) || file.gcount() > 0) {
    content.append(part, static_cast<size_t>(file.gcount()));
    if (content.size() > kLargest) {
      return absl::ResourceExhaustedError(fmt::format("cannot read {}: it is above 1 GiB", path));
    }
  }
  if (file.bad()) return FileError("read", path);
  return content;
}

absl::Status WriteFileAtomically(const std::string& path, std::string_view content) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) {
    absl::Status status = FileError("write", temporary);
    std::remove(temporary.c_str());
    return status;
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    absl::Status status = FileError("write", path);
    std::remove(temporary.c_str());
    return status;
  }
  return absl::OkStatus();
}

}  // namespace outrigger::cli
