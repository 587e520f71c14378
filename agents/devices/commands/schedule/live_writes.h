#pragma once

#include <string>
#include <utility>

#include "console/reading/live_client.h"
#include "devices/commands/schedule/write.h"
#include "kube/view/api_access.h"

namespace outrigger::cli {

/// The API server, for WriteSchedule(). Thread-safe.
class LiveWrites final : public PodBinder {
 public:
  explicit LiveWrites(LiveClient client)
      : client_(std::move(client)), access_(client_.client.get()) {}

  WriteAccess Access();

  absl::Status Bind(const devices::PodOnNode& pod, const CallLimits& limits) override;
  absl::StatusOr<std::string> NodeOf(const devices::PodOnNode& pod,
                                     const CallLimits& limits) override;

 private:
  const LiveClient client_;
  kube::CommandAccess access_;
};

}  // namespace outrigger::cli
