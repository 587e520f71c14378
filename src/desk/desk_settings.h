#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "desk/leadership/scheduler_lease.h"
#include "outrigger/agent/elections.h"
#include "outrigger/desk/desk.h"
#include "outrigger/desk/options.h"

namespace outrigger::desk {

/// The settings that all agents at one desk have in common. Not thread-safe.
class DeskSettings {
 public:
  /// Takes what an agent has set; as Desk::Join().
  absl::Status Add(const DeskTerms& terms);
  void Apply(PlanningOptions* options) const;
  /// No scheduler calls the agents. OwnLease() says then which of their replicas acts, else
  /// Lease().
  bool without_extender() const { return without_extender_.value_or(false); }
  SchedulerLease::Options Lease() const;
  LeaseClaim OwnLease() const;

 private:
  struct Text {
    std::optional<std::string> value;
    std::string agent;  // that has set it
  };
  static absl::Status Take(const std::optional<std::string>& value, std::string_view setting,
                           const std::string& agent, Text* text);
  absl::Status TakeMode(const DeskTerms& terms);
  absl::Status Check() const;

  Text scheduler_names_;
  Text scheduler_lease_;
  Text host_name_;
  Text unchecked_;
  Text reserve_after_;
  Text window_;
  Text lease_;
  Text lease_seconds_;
  std::optional<bool> without_extender_;
  std::string mode_of_;  // the agent that has set it first
};

}  // namespace outrigger::desk
