#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "devices/commands/claims/device_objects.h"
#include "devices/commands/claims/placement.h"
#include "devices/writer/writer.h"
#include "outrigger/agent/call_limits.h"
#include "outrigger/agent/custom_objects.h"

namespace outrigger::cli {

/// Pods of the API server, as far as a binding needs them. Calls block; errors as of kube::Bind()
/// and of a read.
class PodBinder {
 public:
  virtual ~PodBinder() = default;
  virtual absl::Status Bind(const devices::PodOnNode& pod, const CallLimits& limits) = 0;
  /// Where the pod of that UID is bound; empty: nowhere. NotFound: there is none.
  virtual absl::StatusOr<std::string> NodeOf(const devices::PodOnNode& pod,
                                             const CallLimits& limits) = 0;
};

struct WriteAccess {
  CustomObjectAccess* objects = nullptr;
  PodBinder* pods = nullptr;
  devices::WriterOptions options = {};
};

/// Allocates devices for the claims of `pod` on `node`, by the steps of the agent: intents in
/// pools, claims, the binding, confirmation. Embedded claims are created first. `objects` is the
/// state of the cluster, which is brought up to date.
///
/// Ok: the pod is bound and its claims are written. Whatever the error is, what was written is
/// given back, as far as calls succeed; if it is not known whether the pod is bound, it stays, and
/// the text says so. FailedPrecondition: the pod is bound already or a member of a gang, a claim
/// names configurations, or there is no room any more.
absl::Status WriteSchedule(const DevicePod& pod, const std::string& node,
                           const PlacementOptions& placing, DeviceObjects* objects,
                           const WriteAccess& access);

}  // namespace outrigger::cli
