#pragma once

#include <stop_token>

#include "absl/status/statusor.h"
#include "kube/api.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::kube {

/// The version of an API server, of which kube-scheduler has the same or the one before.
struct ServerVersion {
  int major = 0;
  int minor = 0;
  friend auto operator<=>(const ServerVersion&, const ServerVersion&) = default;
};

/// Asks for /version, which every identity may read by default. Besides the errors of Api:
/// InvalidArgument, which quotes what is no version.
absl::StatusOr<ServerVersion> FindServerVersion(Api& api, const std::stop_token& stop = {});

/// How the scheduler of that version counts.
ResizeCounting ResizeCountingOf(const ServerVersion& version);

}  // namespace outrigger::kube
