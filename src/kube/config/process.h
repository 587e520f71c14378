#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace outrigger::kube {

/// A program to run: no shell, no standard input, no descriptors but its own output.
struct ProcessSpec {
  std::string path;  // with a slash: nothing is searched
  std::vector<std::string> args;
  std::vector<std::string> env;  // "NAME=value"
  std::chrono::milliseconds timeout{60'000};
  size_t max_output = size_t{1} << 20;
  size_t max_errors = 2048;  // of stderr; the rest is read and dropped
};

struct ProcessResult {
  int exit_code = 0;   // 128 + the signal if one ended it
  std::string output;  // stdout
  std::string errors;  // the begin of stderr
};

/// Runs it to its end. On a timeout (DeadlineExceeded), too much output (ResourceExhausted) or stop
/// (Cancelled) the program and what it started in its process group are killed; NotFound or
/// Unavailable if it cannot be started.
absl::StatusOr<ProcessResult> RunProcess(const ProcessSpec& spec, const std::stop_token& stop);

/// Where `command` lies: itself if it has a slash, else the first executable of that name in `path`
/// (as in PATH). Empty if there is none.
std::string FindProgram(const std::string& command, std::string_view path);

}  // namespace outrigger::kube
