#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "outrigger/base/clock.h"
#include "outrigger/k8s/string_map.h"

namespace outrigger::lab {

// Annotations of a pod that say how it runs.
inline constexpr std::string_view kDurationAnnotation = "lab.outrigger.dev/duration";
inline constexpr std::string_view kStartDelayAnnotation = "lab.outrigger.dev/start-delay";
inline constexpr std::string_view kStopDelayAnnotation = "lab.outrigger.dev/stop-delay";
inline constexpr std::string_view kExitCodeAnnotation = "lab.outrigger.dev/exit-code";

/// How a pod runs.
struct PodPlan {
  Clock::Duration start_delay{0};           // from its admission until its containers run
  std::optional<Clock::Duration> duration;  // of the run; nothing: until it is deleted
  Clock::Duration stop_delay{0};            // from its deletion until it is gone
  int exit_code = 0;
};

/// Reads times such as "90s", "1h30m", and "exp(5m)": by chance, exponentially distributed with
/// that mean. Chance comes from `uid` and `seed` alone. Of an annotation that cannot be read a
/// sentence is added to `problems`; then the pod runs as if it were not there.
PodPlan ReadPodPlan(const StringMap& annotations, std::string_view uid, uint64_t seed,
                    std::vector<std::string>* problems);

}  // namespace outrigger::lab
