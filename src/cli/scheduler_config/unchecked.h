#pragma once

#include <string>
#include <vector>

#include "cli/scheduler_config/document.h"
#include "gang/plan/scheduler_checks.h"

// What a configuration has kube-scheduler not compare, or compare on top of the pod, which an agent
// that plans has to know.

namespace outrigger::cli {

/// What a profile gives a plugin (pluginConfig); has no fields where it gives nothing.
MapReader ArgumentsOf(const MapReader& profile, const std::string& plugin);

/// What one profile does not compare, and what it adds.
struct UncheckedProfile {
  std::string name;
  Place place;  // of the profile, or of what is missing
  plan::ProfileChecks unchecked;
  /// The profile's own ignoredResources, which have no effect: where an extender manages resources
  /// with ignoredByScheduler, kube-scheduler takes those in their place (buildExtenders() of
  /// pkg/scheduler/scheduler.go, 1.33 to 1.37).
  std::vector<Field<std::string>> without_effect;
  /// Filters that no plan knows.
  std::vector<Field<std::string>> unknown;
  bool spreads = false;  // default constraints are among them
};

/// One for each profile, at least one; what is malformed counts as not there.
std::vector<UncheckedProfile> ReadUnchecked(const MapReader& root);

/// What is not compared, as SchedulerChecks::Parse() reads it; empty: everything is compared.
std::string UncheckedText(const std::vector<UncheckedProfile>& profiles);

}  // namespace outrigger::cli
