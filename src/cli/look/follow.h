#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/look/leading_pod.h"
#include "cli/look/port_forward.h"
#include "console/args/command.h"
#include "console/format/world.h"
#include "console/reading/live_client.h"
#include "kube/api.h"
#include "outrigger/base/clock.h"

namespace outrigger::cli::look {

/// The pod that `outrigger ui` and `top` look for, and how they reach the cluster. A plain value.
struct FollowFlags {
  SoughtAgents sought;
  LiveClusterFlags cluster;
  uint16_t local_port = 0;  ///< 0: that of the agent if it is free, else another one
};

/// Their flags, and how these are read. InvalidArgument names the flag.
std::vector<Flag> FollowFlagsOf(const std::vector<AgentInfo>& registry);
absl::StatusOr<FollowFlags> ReadFollowFlags(const Given& given);

/// Keeps a port of this machine connected to the pod that leads. Not thread-safe: one thread at a
/// time, and kubectl ends with the thread that has started it.
class Follow {
 public:
  /// NotFound: kubectl is not in PATH; the text has what to do by hand.
  static absl::StatusOr<std::unique_ptr<Follow>> Open(const FollowFlags& flags, const World& world);
  /// For tests: with an API server of theirs.
  Follow(FollowFlags flags, kube::Api* api, std::string kubectl, Clock clock);

  /// Finds the pod and forwards to it. Errors of FindLeadingPod() and PortForward::Start().
  absl::Status Begin(const std::stop_token& stop);
  /// To be called every few seconds. Where another pod leads, or kubectl has ended, it forwards
  /// again, to the same local port. Returns what has changed, in a line; empty: nothing. An error:
  /// there was nothing to forward to for a minute.
  absl::StatusOr<std::string> Check(const std::stop_token& stop);

  /// "http://127.0.0.1:9970", from Begin() on.
  std::string Url() const;
  const LeadingPod& pod() const { return pod_; }
  /// The pod, and why it is this one.
  std::string LeadText() const;

 private:
  absl::Status ForwardTo(const LeadingPod& pod, const std::stop_token& stop);
  absl::StatusOr<std::string> Lost(const absl::Status& why);

  FollowFlags flags_;
  std::unique_ptr<kube::Client> client_;  // of Open()
  kube::Api* api_;
  std::string kubectl_;
  Clock clock_;
  LeadingPod pod_;
  std::unique_ptr<PortForward> forward_;  // null: nothing is forwarded
  std::optional<Clock::TimePoint> lost_at_;
};

}  // namespace outrigger::cli::look
