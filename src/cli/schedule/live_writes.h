#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/explain/live_client.h"
#include "cli/schedule/write.h"

namespace outrigger::cli {

/// The API server, for WriteSchedule(). Nothing is followed: Follow() answers Unimplemented.
/// Thread-safe.
class LiveWrites final : public CustomObjectAccess, public PodBinder {
 public:
  explicit LiveWrites(LiveClient client) : client_(std::move(client)) {}

  WriteAccess Access();

  std::unique_ptr<FollowedKind> Follow(const CustomKind& kind, CustomObjectSink* sink) override;
  absl::StatusOr<std::string> ReadCustomObject(const CustomKind& kind,
                                               const CustomObjectName& object,
                                               const CallLimits& limits) override;
  absl::StatusOr<std::string> CreateCustomObject(const CustomKind& kind,
                                                 std::string_view namespace_, std::string_view json,
                                                 const CallLimits& limits) override;
  absl::StatusOr<std::string> PatchCustomStatus(const CustomKind& kind,
                                                const CustomObjectName& object,
                                                std::string_view status_patch,
                                                const CallLimits& limits) override;

  absl::Status Bind(const devices::PodOnNode& pod, const CallLimits& limits) override;
  absl::StatusOr<std::string> NodeOf(const devices::PodOnNode& pod,
                                     const CallLimits& limits) override;

 private:
  const LiveClient client_;
};

}  // namespace outrigger::cli
