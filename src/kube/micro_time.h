#pragma once

#include <chrono>
#include <string>

#include "absl/time/time.h"

namespace outrigger::kube {

/// metav1.MicroTime: "2026-11-21T23:30:58.000042Z", in UTC.
inline std::string MicroTime(std::chrono::system_clock::time_point time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", absl::FromChrono(time), absl::UTCTimeZone());
}

/// metav1.Time, which has whole seconds: "2026-11-21T23:30:58Z", in UTC.
inline std::string WholeTime(std::chrono::system_clock::time_point time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromChrono(time), absl::UTCTimeZone());
}

}  // namespace outrigger::kube
