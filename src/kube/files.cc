#include "kube/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "fmt/format.h"

namespace outrigger::kube {
namespace {

absl::Status Failed(const std::string& path, int error) {
  const std::string text =
      fmt::format("{}: {}", path, std::error_code(error, std::generic_category()).message());
  return error == ENOENT ? absl::NotFoundError(text) : absl::UnavailableError(text);
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

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace outrigger::kube
