#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "outrigger/agent/needs.h"
#include "outrigger/agent/request.h"

namespace outrigger::safe {

enum Resource : size_t { kCpuResource, kMemoryResource, kResources };

/// "cpu" or "memory".
std::string_view Name(Resource resource);

/// One amount per resource: millicores of cpu, bytes of memory.
using Amounts = std::array<double, kResources>;

/// What is measured of one resource of one node, in the units of Amounts.
struct ResourceStatistics {
  bool known = false;    ///< false: no usable statistics; the rest means nothing
  double capacity = 0;   ///< allocatable; above 0
  double used = 0;       ///< mean use, forecast included; 0 or more
  double deviation = 0;  ///< standard deviation of the use; 0 or more
  /// What pods use that came or went about the time of measuring, and `used` does not know; may be
  /// below 0.
  double correction = 0;
};

using NodeStatistics = std::array<ResourceStatistics, kResources>;

/// The utilization of a resource as a distribution: fractions of the capacity, in [0, 1].
struct Utilization {
  double mean = 0;
  double deviation = 0;
};

/// The fields of nodes that ReadStatistics() reads.
Needs NeedsOfStatistics();

/// Reads the annotations mean-free-R, std-free-R and forecasted-free-R (or forcasted-free-R, as the
/// older annotators write; the right spelling wins) against the allocatable amount of R.
///
/// free = (1 - forecast_weight) * mean + forecast_weight * forecast, or the mean if there is no
/// forecast. Without a deviation it is 0. Without a mean, without capacity, or with a value that is
/// not finite, nothing is known of the resource. What cannot be read is reported; "N/A" and "None",
/// which annotators write for "no forecast", are not.
NodeStatistics ReadStatistics(const Request& request, const Node& node, double forecast_weight);

/// What the node's pods and its system used in the mean, by its annotations: as ReadStatistics()
/// without forecast and reports. Nothing where it is not known.
std::optional<double> MeasuredUse(const Node& node, Resource resource);

/// The amount of the resource in the units of Amounts.
double InUnits(Resource resource, const ResourceList& amounts);

/// All that ReadStatistics() reads of the annotations, and the measurement's window, in one text:
/// it changes when any of them does.
std::string StatisticsText(const Node& node);

/// The utilization once the correction and `demand` are added to what is used.
Utilization UtilizationWith(const ResourceStatistics& statistics, double demand);

/// What `pod` asks for, as kube-scheduler counts it.
Amounts DemandOf(const Pod& pod);

}  // namespace outrigger::safe
