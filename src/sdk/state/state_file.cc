#include "state_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "fmt/format.h"
#include "outrigger/agent/state_store.h"

namespace outrigger::internal {
namespace {

// A key of one byte without a text takes eight.
constexpr size_t kMostFileBytes = 8 * kMostStateBytes + 65'536;
constexpr mode_t kOwnerOnly = 0600;

absl::Status Failed(std::string_view what, int error) {
  const std::string text =
      fmt::format("{}: {}", what, std::error_code(error, std::generic_category()).message());
  switch (error) {
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(text);
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return absl::ResourceExhaustedError(text);
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case ENXIO:
      return absl::FailedPreconditionError(text);
    default:
      return absl::UnavailableError(text);
  }
}

/// A file descriptor that is closed.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

std::string FolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

int OpenFolder(const std::string& path) {
  return ::open(FolderOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

absl::Status WriteAll(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Failed("cannot be written", errno);
    content.remove_prefix(static_cast<size_t>(written));
  }
  return ::fsync(fd) == 0 ? absl::OkStatus() : Failed("cannot be written", errno);
}

absl::Status WriteNew(const std::string& path, std::string_view content) {
  const Descriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, kOwnerOnly));
  if (file.get() < 0) return Failed(fmt::format("cannot make {}", path), errno);
  return WriteAll(file.get(), content);
}

}  // namespace

absl::StatusOr<std::optional<std::string>> ReadStateFile(const std::string& path) {
  // A pipe would block.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    const int error = errno;
    if (error != ENOENT) return Failed("cannot be opened", error);
    const Descriptor folder(OpenFolder(path));
    if (folder.get() < 0) return Failed(FolderOf(path), errno);
    return std::nullopt;
  }
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return Failed("cannot be read", errno);
  if (!S_ISREG(about.st_mode)) return absl::FailedPreconditionError("it is not a regular file");
  std::string content;
  std::array<char, 65'536> part;
  for (;;) {
    const ssize_t got = ::read(file.get(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Failed("cannot be read", errno);
    if (got == 0) return content;
    content.append(part.data(), static_cast<size_t>(got));
    if (content.size() > kMostFileBytes) {
      return absl::DataLossError(
          fmt::format("it has more than {} bytes, the limit of a state", kMostFileBytes));
    }
  }
}

absl::Status ReplaceStateFile(const std::string& path, std::string_view content) {
  const std::string temporary = path + ".tmp";
  absl::Status written = WriteNew(temporary, content);
  if (written.ok() && std::rename(temporary.c_str(), path.c_str()) != 0) {
    written = Failed("cannot be replaced", errno);
  }
  if (!written.ok()) {
    std::remove(temporary.c_str());
    return written;
  }
  return SyncFolderOf(path);
}

absl::Status SyncFolderOf(const std::string& path) {
  const Descriptor folder(OpenFolder(path));
  if (folder.get() < 0) {
    return errno == EACCES ? absl::OkStatus() : Failed(FolderOf(path), errno);
  }
  const bool failed = ::fsync(folder.get()) != 0 && errno != EINVAL && errno != ENOTSUP;
  return failed ? Failed(FolderOf(path), errno) : absl::OkStatus();
}

std::string ResolvedStateFile(const std::string& path) {
  constexpr int kMostLinks = 40;  // as in Linux
  std::error_code error;
  std::filesystem::path at = path;
  for (int links = 0; links < kMostLinks && std::filesystem::is_symlink(at, error); ++links) {
    const std::filesystem::path to = std::filesystem::read_symlink(at, error);
    if (error) break;
    at = at.parent_path() / to;  // which is `to` where that is absolute
  }
  return at;
}

absl::StatusOr<FolderLock> FolderLock::Take(const std::string& path, const CallLimits& limits) {
  constexpr std::chrono::milliseconds kTryAgain{5};
  Descriptor folder(OpenFolder(path));
  if (folder.get() < 0) return Failed(FolderOf(path), errno);
  const auto end = std::chrono::steady_clock::now() + limits.timeout;
  while (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return Failed("cannot be locked", errno);
    if (limits.stop.stop_requested()) return absl::CancelledError("stopped");
    if (std::chrono::steady_clock::now() >= end) {
      return absl::DeadlineExceededError("another process writes in its folder");
    }
    std::this_thread::sleep_for(kTryAgain);
  }
  return FolderLock(folder.Release());
}

FolderLock::FolderLock(FolderLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FolderLock::~FolderLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace outrigger::internal
