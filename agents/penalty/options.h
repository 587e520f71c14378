#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "outrigger/agent/elections.h"
#include "outrigger/k8s/selector.h"
#include "penalty/classes/policy.h"
#include "settings.h"

namespace outrigger::penalty {

/// The settings, read.
struct Options {
  Policy policy;  // of classes that say nothing else
  /// Nothing: no class is penalised.
  std::optional<LabelSelector> selector;
  LeaseClaim claim;     // its namespace is the journal's, too
  bool mapped = false;  // classes are never touched, and their new pods get stand-ins
  bool dry_run = false;
};

/// InvalidArgument names the setting, its value and what is accepted.
absl::StatusOr<Options> OptionsFrom(const Settings& settings);

}  // namespace outrigger::penalty
