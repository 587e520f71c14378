#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "settings.h"
#include "statistics.h"

namespace outrigger::safe {

/// What is expected of a pod before it is measured.
struct Estimate {
  enum class Basis : uint8_t { kRequests, kLimits };
  Basis basis = Basis::kRequests;
  Amounts factors = {1, 1};  ///< of requests or limits
  Amounts defaults = {};  ///< of a pod that states nothing of the resource
};

/// How much of what pods request they use in the mean, before it is measured: the estimator of
/// Koordinator's LoadAwareScheduling (its defaults of 1.6).
inline constexpr Amounts kUsedOfRequests = {0.85, 0.70};

/// InvalidArgument names the setting, its value and what is accepted.
absl::StatusOr<Estimate> EstimateFrom(const Settings& settings);

/// What the pod is expected to use on its node: what it requests there (of kLimits its limits, and
/// its requests where it has none) times the factor, or the default. Each amount is from 0 to
/// kMostExpected, whatever the pod says.
Amounts ExpectedUse(const PodView& pod, const Estimate& estimate);
inline constexpr double kMostExpected = 1e24;

}  // namespace outrigger::safe
