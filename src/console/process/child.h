#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"

// Programs that run beside this process and end with it.

namespace outrigger::cli {

/// Starts `words[0]`, a path, with the further words as its arguments, nothing as its input, and
/// `output` as its output and errors. It gets SIGTERM when the calling thread ends, also where that
/// is killed, and no Ctrl-C of the terminal. Unavailable: it cannot be run.
absl::StatusOr<pid_t> StartChild(const std::vector<std::string>& words, int output);

/// True once the child has ended; it is gone then, and must not be asked for again.
bool HasEnded(pid_t child);

/// SIGTERM, then SIGKILL after ten seconds; returns when the child has ended.
void EndChild(pid_t child);

}  // namespace outrigger::cli
