#pragma once

#include <chrono>
#include <string>

#include "absl/status/statusor.h"
#include "devices/allocation/allocator.h"
#include "outrigger/agent/elections.h"
#include "settings.h"

namespace outrigger::devices::agent {

/// The settings, read.
struct Options {
  AllocatorOptions allocator;
  bool dra = false;
  std::chrono::seconds intent_deadline{60};
  std::chrono::milliseconds binding_time{15'000};
  LeaseClaim lease;
};

/// Names this process among those that write allocations: host and a random part.
std::string NewIdentity();

/// InvalidArgument names the setting, its value and what is accepted.
absl::StatusOr<Options> OptionsFrom(const Settings& settings);

}  // namespace outrigger::devices::agent
