#pragma once

#include <optional>
#include <string_view>

#include "outrigger/k8s/taint.h"

// The words of values, and what is accepted where they were malformed: the same for every form of
// an object.

namespace outrigger::json {

inline constexpr std::string_view kAcceptedQuantity = "a quantity such as 250m, 1.5Gi or 2e3";
inline constexpr std::string_view kAcceptedTime = "a time such as 2026-01-15T08:00:00Z";
inline constexpr std::string_view kAcceptedEffect = "NoSchedule, PreferNoSchedule or NoExecute";
inline constexpr std::string_view kAcceptedOperator = "Exists or Equal";

inline std::optional<TaintEffect> ParseEffect(std::string_view text) {
  if (text == "NoSchedule") return TaintEffect::kNoSchedule;
  if (text == "PreferNoSchedule") return TaintEffect::kPreferNoSchedule;
  if (text == "NoExecute") return TaintEffect::kNoExecute;
  return std::nullopt;
}

}  // namespace outrigger::json
