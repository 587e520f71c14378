#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/commands/children.h"
#include "apiserver/commands/lab_apiserver.h"
#include "outrigger/base/mutex.h"

namespace outrigger::cli {

/// What runs beside the lab's API server: simulated nodes, a kube-scheduler, agents; each a process
/// with a log of its own, in a folder that goes with them. Not thread-safe.
class LabCluster {
 public:
  LabCluster(const ApiServerFlags& flags, uint16_t port);
  ~LabCluster();
  LabCluster(const LabCluster&) = delete;
  LabCluster& operator=(const LabCluster&) = delete;

  /// Starts what the flags ask for, and says on standard output how to use it.
  absl::Status Start(const World& world);
  /// Returns on SIGTERM or SIGINT; Unavailable, and where its log is, if one of them has ended.
  absl::Status WaitForStop();
  /// Ends all, and removes the folder unless one has failed.
  void Stop();

 private:
  absl::Status StartNodes();
  absl::Status StartScheduler();
  void Watch(const std::stop_token& stop);
  std::string PathOf(const std::string& name) const { return folder_ + "/" + name; }

  const ApiServerFlags flags_;
  const uint16_t port_;
  const std::string own_ = OwnProgram();
  std::string folder_;
  std::string kubeconfig_;
  Mutex mutex_;
  Children children_ ABSL_GUARDED_BY(mutex_);
  std::optional<Child> failed_ ABSL_GUARDED_BY(mutex_);
  std::jthread watch_;
};

/// Writes a file; Unavailable names it.
absl::Status WriteText(const std::string& path, const std::string& text);

}  // namespace outrigger::cli
