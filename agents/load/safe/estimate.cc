#include "estimate.h"

#include <algorithm>
#include <string>

#include "fmt/format.h"
#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/resources.h"

namespace outrigger::safe {
namespace {

// Quantity::MilliValue() is 0 for absurd amounts, as upstream's is.
double InUnits(Resource resource, const Quantity& quantity) {
  return resource == kCpuResource ? quantity.ToDouble() * 1000 : quantity.ToDouble();
}

absl::StatusOr<double> Amount(std::string_view setting, Resource resource,
                              const std::string& text) {
  const auto quantity = Quantity::Parse(text);
  if (!quantity.ok() || *quantity < Quantity()) {
    return absl::InvalidArgumentError(
        fmt::format("{}={}: expected a quantity of 0 or more, such as {}", setting, text,
                    resource == kCpuResource ? "100m" : "200Mi"));
  }
  return std::min(InUnits(resource, *quantity), kMostExpected);
}

void PutLimits(const ResourceList& limits, ResourceList* requests) {
  for (const std::string_view name : {kCpu, kMemory}) {
    if (const Quantity limit = limits.Get(name); !limit.IsZero()) requests->Set(name, limit);
  }
}

// Sums limits up by the rules for requests.
ResourceList LimitsOf(Pod pod) {
  for (Container& container : pod.containers) PutLimits(container.limits, &container.requests);
  for (Container& container : pod.init_containers) PutLimits(container.limits, &container.requests);
  if (pod.pod_limits) {
    if (!pod.pod_requests) pod.pod_requests.emplace();
    PutLimits(*pod.pod_limits, &*pod.pod_requests);
  }
  return PodRequests(pod);
}

}  // namespace

absl::StatusOr<Estimate> EstimateFrom(const Settings& settings) {
  Estimate estimate;
  if (settings.estimate == "limits") estimate.basis = Estimate::Basis::kLimits;
  for (const Resource resource : {kCpuResource, kMemoryResource}) {
    estimate.factors[resource] = settings.estimate_factor * kUsedOfRequests[resource];
  }
  const auto cpu = Amount("default-cpu", kCpuResource, settings.default_cpu);
  if (!cpu.ok()) return cpu.status();
  const auto memory = Amount("default-memory", kMemoryResource, settings.default_memory);
  if (!memory.ok()) return memory.status();
  estimate.defaults = {*cpu, *memory};
  return estimate;
}

Amounts ExpectedUse(const PodView& pod, const Estimate& estimate) {
  ResourceList limits;
  const bool by_limits = estimate.basis == Estimate::Basis::kLimits;
  if (by_limits) limits = LimitsOf(pod.Unpack());
  Amounts expected = {};
  for (const Resource resource : {kCpuResource, kMemoryResource}) {
    const Quantity stated = by_limits ? limits.Get(Name(resource)) : pod.Request(Name(resource));
    const double use = stated.IsZero() ? estimate.defaults[resource]
                                       : InUnits(resource, stated) * estimate.factors[resource];
    expected[resource] = std::clamp(use, 0.0, kMostExpected);
  }
  return expected;
}

}  // namespace outrigger::safe
