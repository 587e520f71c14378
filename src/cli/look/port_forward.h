#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "http/fd.h"

// `kubectl port-forward` beside this process.

namespace outrigger::cli::look {

struct ForwardRequest {
  std::string kubectl = {};             ///< path of the program
  std::vector<std::string> flags = {};  ///< of the cluster: --kubeconfig, --context
  std::string name_space = {};
  std::string pod = {};
  uint16_t local_port = 0;
  uint16_t admin_port = 0;
};

/// A port of this machine that is connected to one of a pod. kubectl ends with it. Not thread-safe.
class PortForward {
 public:
  /// Returns once kubectl forwards. Unavailable, with kubectl's words: it cannot be run, or has
  /// ended. DeadlineExceeded: it does not forward within 20 s. Cancelled: `stop` was requested.
  static absl::StatusOr<std::unique_ptr<PortForward>> Start(const ForwardRequest& request,
                                                            const std::stop_token& stop);
  ~PortForward();
  PortForward(const PortForward&) = delete;
  PortForward& operator=(const PortForward&) = delete;

  /// Reads what kubectl has written; it would wait for that at some time. False once it has ended.
  bool Runs();
  /// The last line of kubectl that is more than usual, made printable; "no message" if none is.
  std::string LastLine() const;

 private:
  PortForward(pid_t child, http::Fd output) : child_(child), output_(std::move(output)) {}
  /// Waits until there is output, for a short time. False once it has ended.
  bool Read(int wait_ms);

  pid_t child_;
  http::Fd output_;
  bool has_ended_ = false;
  std::string written_;
};

/// Returns the command that does the same by hand.
std::string ForwardCommand(const ForwardRequest& request);

/// Returns `wanted` if this machine has it free on 127.0.0.1, else another free port.
uint16_t FreePort(uint16_t wanted);

}  // namespace outrigger::cli::look
