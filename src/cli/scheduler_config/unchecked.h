#pragma once

#include <string>
#include <vector>

#include "cli/scheduler_config/document.h"
#include "outrigger/plan/scheduler_checks.h"

// What a configuration has kube-scheduler not compare, which an agent that plans has to know.

namespace outrigger::cli {

/// What one profile does not compare.
struct UncheckedProfile {
  std::string name;
  Place place;  // of the profile, or of what is missing
  plan::UncheckedByProfile unchecked;
  /// The profile's own ignoredResources, which have no effect: where an extender manages resources
  /// with ignoredByScheduler, kube-scheduler takes those in their place (buildExtenders() of
  /// pkg/scheduler/scheduler.go, 1.33 to 1.37).
  std::vector<Field<std::string>> without_effect;
};

/// One for each profile, at least one; what is malformed counts as not there.
std::vector<UncheckedProfile> ReadUnchecked(const MapReader& root);

/// The same as SchedulerChecks::Parse() reads it; empty: everything is compared.
std::string UncheckedText(const std::vector<UncheckedProfile>& profiles);

}  // namespace outrigger::cli
