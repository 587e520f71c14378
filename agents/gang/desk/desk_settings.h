#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "gang/desk/desk.h"
#include "gang/desk/leadership/scheduler_lease.h"
#include "gang/desk/options.h"
#include "outrigger/agent/elections.h"
#include "outrigger/agent/scheduler_facts.h"

namespace outrigger::desk {

/// The settings that all agents at one desk have in common. Not thread-safe.
class DeskSettings {
 public:
  /// `scheduler` is what counts where no agent has set it otherwise.
  explicit DeskSettings(SchedulerFacts scheduler = {}) : scheduler_(std::move(scheduler)) {}

  /// Takes what an agent has set; as Desk::Join().
  absl::Status Add(const DeskTerms& terms);
  void Apply(PlanningOptions* options) const;
  /// With Mode::kAlone OwnLease() says which of the replicas acts, else Lease().
  Mode mode() const { return mode_.value_or(Mode::kExtender); }
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
  std::string SchedulerNames() const;
  std::string Unchecked() const;
  std::string LeaseOfScheduler() const;

  const SchedulerFacts scheduler_;
  Text scheduler_names_;
  Text scheduler_lease_;
  Text host_name_;
  Text reserve_after_;
  Text lease_;
  Text unchecked_;
  bool members_only_ = false;
  std::optional<Mode> mode_;
  std::string mode_of_;  // the agent that has set it first
};

}  // namespace outrigger::desk
