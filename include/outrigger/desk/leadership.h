#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "absl/status/status.h"
#include "outrigger/agent/cluster.h"

namespace outrigger::desk {

/// Whether the scheduler beside this agent is the one that schedules: a kube-scheduler that loses
/// its Lease exits, but its sidecar does not. Thread-safe.
class Leadership {
 public:
  struct Options {
    std::string lease_namespace;
    std::string lease_name;  // empty: always in charge
    std::string host_name;   // the holder's identity is "<host name>_<something>"
    std::chrono::milliseconds every{1000};
  };
  /// `changed` is told, from a thread of this, that it has become or ceased to be in charge, or
  /// that another instance of the scheduler has the Lease (a new epoch).
  /// `warn` gets one line each time the Lease is found not to exist, with the cure; may be empty.
  Leadership(ClusterReader* cluster, Options options, std::function<void()> changed,
             std::function<void(std::string_view line)> warn = {});
  ~Leadership();
  Leadership(const Leadership&) = delete;
  Leadership& operator=(const Leadership&) = delete;

  void Start();
  void Stop();

  /// Ok if in charge, as last seen; else Unavailable, in words that stay the same.
  absl::Status Now() const;
  /// Which instance of the scheduler is in charge: its identity.
  std::string Epoch() const;
  /// Reads the Lease anew, and says what it says.
  absl::Status Ask(const CallLimits& limits);
  /// Whether a scheduler of another host has the Lease, as last seen: its agent acts. Not so while
  /// nobody has it, or it cannot be read.
  bool IsHeldByAnother() const;

 private:
  void Note(const absl::StatusOr<std::string>& holder);
  void WarnIfMissing(const absl::StatusOr<std::string>& holder);
  absl::Status Judge(const absl::StatusOr<std::string>& holder) const;

  ClusterReader* const cluster_;
  const Options options_;
  const std::function<void()> changed_;
  const std::function<void(std::string_view line)> warn_;
  mutable std::mutex mutex_;
  absl::Status now_;
  std::string epoch_;
  bool held_by_another_ = false;
  bool is_missing_ = false;  // warned, and not seen since
  std::jthread thread_;
};

/// "namespace/name" or "none" (nothing then). InvalidArgument for anything else.
absl::StatusOr<Leadership::Options> ReadLeaseName(const std::string& text);

}  // namespace outrigger::desk
