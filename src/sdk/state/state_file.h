#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outrigger/agent/call_limits.h"

// The file of a state, as the operating system has it.

namespace outrigger::internal {

/// The content of a regular file, or nothing where there is none in a folder that is there.
/// DataLoss: it is larger than any state; PermissionDenied; FailedPrecondition: no regular file, no
/// folder; Unavailable.
absl::StatusOr<std::optional<std::string>> ReadStateFile(const std::string& path);

/// Puts a file with `content` in the place of `path`, by way of the folder's file "<name>.tmp": a
/// reader sees the one or the other, also after a power failure. The lock of the folder is held.
/// Errors as above; ResourceExhausted: the disk is full, or a quota is.
absl::Status ReplaceStateFile(const std::string& path, std::string_view content);

/// Makes what was made or replaced in the folder of `path` outlive a power failure, as far as its
/// file system can: one that has no such call (some network and FUSE file systems), or does not let
/// us read the folder, is no error. Errors as above.
absl::Status SyncFolderOf(const std::string& path);

/// `path`, or, where that is a symbolic link, the file that it leads to, there or not.
std::string ResolvedStateFile(const std::string& path);

/// Keeps other processes out of writing states in the folder of a file, as long as it lives.
class FolderLock {
 public:
  /// Waits as long as `limits` say: DeadlineExceeded, Cancelled; else errors as above.
  static absl::StatusOr<FolderLock> Take(const std::string& path, const CallLimits& limits);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace outrigger::internal
