#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "outrigger/agent/elections.h"

namespace outrigger {

/// A claim that lasts for `seconds` (from 3 on), with the other times in client-go's proportions
/// (tools/leaderelection: 15 s, 10 s, 2 s).
inline LeaseClaim LeaseClaimOf(std::string namespace_, std::string name, int64_t seconds) {
  const std::chrono::milliseconds duration = std::chrono::seconds(seconds);
  return {.namespace_ = std::move(namespace_),
          .name = std::move(name),
          .lease_duration = std::chrono::seconds(seconds),
          .renew_deadline = duration * 2 / 3,
          .retry_period = duration * 2 / 15};
}

}  // namespace outrigger
