#include "sdk/base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <system_error>

#include "fmt/format.h"

namespace outrigger {
namespace {

absl::Status Failed(const std::string& path, int error) {
  const std::string text =
      fmt::format("{}: {}", path, std::error_code(error, std::generic_category()).message());
  return error == ENOENT ? absl::NotFoundError(text) : absl::UnavailableError(text);
}

absl::Status NotWritten(const std::string& path) {
  const std::string cause = std::error_code(errno, std::generic_category()).message();
  return absl::UnavailableError(fmt::format("cannot write {}: {}", path, cause));
}

}  // namespace

absl::StatusOr<std::string> ReadSmallFile(const std::string& path, size_t largest) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Failed(path, errno);
  std::string content;
  std::array<char, 16384> part;
  absl::Status status;
  for (;;) {
    const ssize_t got = ::read(fd, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) status = Failed(path, errno);
    if (got <= 0) break;
    content.append(part.data(), static_cast<size_t>(got));
    if (content.size() > largest) {
      status = absl::ResourceExhaustedError(
          fmt::format("{}: larger than {} bytes, the most that is read", path, largest));
      break;
    }
  }
  ::close(fd);
  if (!status.ok()) return status;
  return content;
}

std::string FileVersion(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return {};
  return fmt::format("{}:{}:{}:{}.{}:{}.{}", about.st_dev, about.st_ino, about.st_size,
                     about.st_mtim.tv_sec, about.st_mtim.tv_nsec, about.st_ctim.tv_sec,
                     about.st_ctim.tv_nsec);
}

std::string ResolveBeside(std::string_view beside, std::string_view path) {
  if (path.empty() || path.front() == '/') return std::string(path);
  const size_t slash = beside.rfind('/');
  if (slash == std::string_view::npos) return std::string(path);
  return fmt::format("{}/{}", beside.substr(0, slash), path);
}

absl::Status WriteFileAtomically(const std::string& path, std::string_view content) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) {
    absl::Status status = NotWritten(temporary);
    std::remove(temporary.c_str());
    return status;
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    absl::Status status = NotWritten(path);
    std::remove(temporary.c_str());
    return status;
  }
  return absl::OkStatus();
}

}  // namespace outrigger
