#pragma once

#include <string_view>

// What is accepted where values were malformed: the same words for every form of an object.

namespace outrigger::json {

inline constexpr std::string_view kAcceptedQuantity = "a quantity such as 250m, 1.5Gi or 2e3";
inline constexpr std::string_view kAcceptedTime = "a time such as 2026-01-15T08:00:00Z";
inline constexpr std::string_view kAcceptedEffect = "NoSchedule, PreferNoSchedule or NoExecute";
inline constexpr std::string_view kAcceptedOperator = "Exists or Equal";

}  // namespace outrigger::json
