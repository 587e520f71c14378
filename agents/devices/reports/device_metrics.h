#pragma once

#include <string_view>
#include <vector>

#include "outrigger/agent/metrics.h"

namespace outrigger::devices::agent {

/// Names, as agents add to them and Prometheus has them.
namespace metric {
inline constexpr std::string_view kDevices = "outrigger_devices_devices";
inline constexpr std::string_view kClaims = "outrigger_devices_claims";
inline constexpr std::string_view kAllocations = "outrigger_devices_allocations_total";
inline constexpr std::string_view kFreed = "outrigger_devices_freed_total";
inline constexpr std::string_view kWoken = "outrigger_devices_woken_total";
inline constexpr std::string_view kStatusWrites = "outrigger_devices_status_writes_total";
}  // namespace metric

/// All of them, with their labels and what people read about them.
std::vector<MetricSpec> DeviceMetrics();

}  // namespace outrigger::devices::agent
