#include "statistics.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/numbers.h"
#include "burst.h"

namespace outrigger::safe {
namespace {

struct Keys {
  std::string_view mean, deviation, forecast, old_forecast;
};
constexpr std::array<Keys, kResources> kKeys = {
    Keys{"mean-free-cpu", "std-free-cpu", "forecasted-free-cpu", "forcasted-free-cpu"},
    Keys{"mean-free-memory", "std-free-memory", "forecasted-free-memory", "forcasted-free-memory"}};

// A number that is there but of no use spoils the statistics of its resource.
struct Reading {
  std::optional<double> value;
  bool usable = true;
};

Reading Read(const Request& request, const Node& node, std::string_view key) {
  const std::optional<double> value = request.AnnotationDouble(node, key);
  if (!value || std::isfinite(*value)) return {value};
  request.diagnostics.Malformed(node.name, key, node.annotations.Get(key), "a finite number");
  return {value, false};
}

Reading ReadForecast(const Request& request, const Node& node, const Keys& keys) {
  const std::string_view key =
      node.annotations.Contains(keys.forecast) ? keys.forecast : keys.old_forecast;
  const std::string_view text = node.annotations.Get(key);
  if (text == "N/A" || text == "None") return {};
  return Read(request, node, key);
}

ResourceStatistics ReadResource(const Request& request, const Node& node, Resource resource,
                                double forecast_weight) {
  const Keys& keys = kKeys[resource];
  const Reading mean = Read(request, node, keys.mean);
  const Reading deviation = Read(request, node, keys.deviation);
  const Reading forecast = ReadForecast(request, node, keys);
  ResourceStatistics statistics;
  statistics.capacity = InUnits(resource, node.allocatable);
  statistics.known = mean.value.has_value() && mean.usable && deviation.usable && forecast.usable &&
                     statistics.capacity > 0;
  if (!statistics.known) return statistics;
  double free = *mean.value;
  if (forecast.value) free = (1 - forecast_weight) * free + forecast_weight * *forecast.value;
  statistics.used = std::max(statistics.capacity - free, 0.0);
  statistics.deviation = std::max(deviation.value.value_or(0), 0.0);
  return statistics;
}

}  // namespace

std::string_view Name(Resource resource) {
  return resource == kCpuResource ? kCpu : kMemory;
}

double InUnits(Resource resource, const ResourceList& amounts) {
  return static_cast<double>(resource == kCpuResource ? amounts.Get(kCpu).MilliValue()
                                                      : amounts.Get(kMemory).Value());
}

std::optional<double> MeasuredUse(const Node& node, Resource resource) {
  const std::string_view text = node.annotations.Get(kKeys[resource].mean);
  const double capacity = InUnits(resource, node.allocatable);
  double free = 0;
  if (!absl::SimpleAtod({text.data(), text.size()}, &free) || !std::isfinite(free)) {
    return std::nullopt;
  }
  return capacity > 0 ? std::optional(std::max(capacity - free, 0.0)) : std::nullopt;
}

Needs NeedsOfStatistics() {
  Needs needs = Needs().NodeAllocatable();
  for (const Keys& keys : kKeys) {
    needs.NodeAnnotations(
        {keys.mean, keys.deviation, keys.forecast, keys.old_forecast, kMeasuredAnnotation});
  }
  return needs;
}

NodeStatistics ReadStatistics(const Request& request, const Node& node, double forecast_weight) {
  return {ReadResource(request, node, kCpuResource, forecast_weight),
          ReadResource(request, node, kMemoryResource, forecast_weight)};
}

std::string StatisticsText(const Node& node) {
  std::string text(node.annotations.Get(kMeasuredAnnotation));
  for (const Keys& keys : kKeys) {
    for (const std::string_view key :
         {keys.mean, keys.deviation, keys.forecast, keys.old_forecast}) {
      text.append(1, '\n').append(node.annotations.Get(key));
    }
  }
  return text;
}

Utilization UtilizationWith(const ResourceStatistics& statistics, double demand) {
  const double used = statistics.used + statistics.correction + demand;
  return {std::clamp(used / statistics.capacity, 0.0, 1.0),
          std::clamp(statistics.deviation / statistics.capacity, 0.0, 1.0)};
}

Amounts DemandOf(const Pod& pod) {
  const ResourceList requests = PodRequests(pod);
  return {std::max(InUnits(kCpuResource, requests), 0.0),
          std::max(InUnits(kMemoryResource, requests), 0.0)};
}

}  // namespace outrigger::safe
