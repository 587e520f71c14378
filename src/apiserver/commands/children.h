#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace outrigger::cli {

/// One of them.
struct Child {
  std::string name;
  std::string log;  // its file
  pid_t pid;
};

/// Programs that run beside this process and end with it, also where it is killed. Not thread-safe.
class Children {
 public:
  Children() = default;
  ~Children() { Stop(); }
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  /// Starts `words[0]` with its output appended to `log`. Unavailable: it cannot be run.
  absl::Status Start(const std::string& name, const std::vector<std::string>& words,
                     const std::string& log);
  /// One that has ended by itself; nothing: all run.
  std::optional<Child> Ended();
  /// SIGTERM to all, in reverse order, then waits for them; SIGKILL after ten seconds each.
  void Stop();

 private:
  std::vector<Child> children_;
};

/// Runs a program to its end and returns what it printed; FailedPrecondition with
/// the begin of its errors if its exit code is not 0.
absl::StatusOr<std::string> OutputOf(const std::vector<std::string>& words);

/// The program that is running.
std::string OwnProgram();

}  // namespace outrigger::cli
