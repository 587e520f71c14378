#pragma once

#include "codec/json/reader.h"
#include "outrigger/k8s/disruption_budget.h"

namespace outrigger::json {

/// Reads a PodDisruptionBudget of policy/v1 anew. Its kind and apiVersion are not looked at.
/// InvalidArgument names the place of what has a wrong type.
absl::Status ReadDisruptionBudget(Object object, const Path& at, DisruptionBudget* budget);

}  // namespace outrigger::json
