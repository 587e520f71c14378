#pragma once

#include <chrono>
#include <string>

#include "absl/status/statusor.h"
#include "outrigger/agent/elections.h"
#include "outrigger/devices/allocator.h"
#include "settings.h"

namespace outrigger::devices::agent {

/// The settings, read.
struct Options {
  AllocatorOptions allocator;
  std::chrono::seconds intent_deadline{60};
  std::chrono::seconds binding_time{15};
  LeaseClaim lease;
};

/// Names this process among those that write allocations: host and a random part.
std::string NewIdentity();

/// InvalidArgument names the setting, its value and what is accepted.
absl::StatusOr<Options> OptionsFrom(const Settings& settings);

}  // namespace outrigger::devices::agent
