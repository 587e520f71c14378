#include "reports/device_metrics.h"

#include <string>
#include <utility>

namespace outrigger::devices::agent {
namespace {

MetricSpec Spec(MetricSpec::Kind kind, std::string_view name, std::string_view help,
                std::string_view label = "") {
  return {kind, std::string(name), std::string(help), std::string(label), {}};
}

}  // namespace

std::vector<MetricSpec> DeviceMetrics() {
  using Kind = MetricSpec::Kind;
  return {
      Spec(Kind::kGauge, metric::kDevices, "Devices of all valid pools: total, used.", "state"),
      Spec(Kind::kGauge, metric::kClaims, "Claims by state: allocated, pending, invalid.", "state"),
      Spec(
          Kind::kCounter, metric::kAllocations,
          "Allocations of pods in bind calls: allocated, refused (no room, or claims that cannot "
          "be served), failed (the API server), undone, lost (a pool lacked what a bound pod has).",
          "result"),
      Spec(Kind::kCounter, metric::kFreed,
           "Freed claims and pool entries: pods ended, intent expired, claim gone.", "cause"),
      Spec(Kind::kCounter, metric::kWoken,
           "Pods that waited for devices and were nominated after devices became free."),
      Spec(Kind::kCounter, metric::kStatusWrites,
           "Writes of statuses in the background: written, failed.", "result"),
  };
}

}  // namespace outrigger::devices::agent
