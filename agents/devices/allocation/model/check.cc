#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "devices/allocation/claim.h"
#include "devices/allocation/device_class.h"
#include "devices/allocation/model/amount.h"
#include "devices/allocation/pool.h"
#include "fmt/format.h"

namespace outrigger::devices {
namespace {

template <typename... Args>
absl::Status ClaimFault(fmt::format_string<Args...> text, Args&&... args) {
  return absl::InvalidArgumentError(fmt::format(text, std::forward<Args>(args)...));
}

bool InRange(const std::optional<int64_t>& count) {
  return !count.has_value() || (*count >= 1 && *count <= kMostWanted);
}

absl::Status CheckDetail(const Detail& detail) {
  const bool is_of_driver = detail.admin_access && !detail.driver.empty();  // privileged claims
  if (detail.device_class.empty() && detail.device_type.empty() && !is_of_driver) {
    return ClaimFault("neither deviceClass nor deviceType is given");
  }
  if (!InRange(detail.min_count)) {
    return ClaimFault("{} devices at least: must be from 1 to {}", *detail.min_count, kMostWanted);
  }
  if (!InRange(detail.max_count)) {
    return ClaimFault("{} devices at most: must be from 1 to {}", *detail.max_count, kMostWanted);
  }
  for (const auto& [name, amount] : detail.amounts) {
    if (!ToAmount(amount).has_value()) {
      return ClaimFault("{} of \"{}\": must be from 0 to 10^18", amount.ToString(), name);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckRequest(const Request& request) {
  if (request.details.empty() || request.details.size() > kMostAlternatives) {
    return ClaimFault("{} alternatives: must be from 1 to {}", request.details.size(),
                      kMostAlternatives);
  }
  for (const Detail& detail : request.details) {
    absl::Status status = CheckDetail(detail);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

using Names = absl::flat_hash_set<std::string_view>;

template <typename... Args>
absl::Status PoolFault(fmt::format_string<Args...> text, Args&&... args) {
  return absl::InvalidArgumentError(fmt::format(text, std::forward<Args>(args)...));
}

absl::Status CheckAttributes(const Attributes& attributes, std::string_view of) {
  Names names;
  for (const Attribute& attribute : attributes) {
    if (!names.insert(attribute.name).second) {
      return PoolFault("{} has attribute \"{}\" twice", of, attribute.name);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAmount(const Quantity& amount, std::string_view what, std::string_view name) {
  if (ToAmount(amount).has_value()) return absl::OkStatus();
  return PoolFault("{} of \"{}\" is {}: must be from 0 to 10^18", what, name, amount.ToString());
}

absl::Status CheckResources(const std::vector<Resource>& resources, std::string_view of) {
  Names names;
  for (const Resource& resource : resources) {
    if (!names.insert(resource.name).second) {
      return PoolFault("{} has resource \"{}\" twice", of, resource.name);
    }
    absl::Status status = CheckAmount(resource.capacity, "capacity", resource.name);
    if (status.ok() && resource.block_size.has_value()) {
      status = CheckAmount(*resource.block_size, "blockSize", resource.name);
      if (status.ok() && resource.block_size->IsZero()) {
        status = PoolFault("blockSize of \"{}\" is 0", resource.name);
      }
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status CheckDevice(const Device& device, const Names& counters) {
  const std::string of = fmt::format("device \"{}\"", device.name);
  absl::Status status = CheckAttributes(device.attributes, of);
  if (status.ok()) status = CheckResources(device.resources, of);
  for (const auto& [name, amount] : device.requests) {
    if (!status.ok()) return status;
    status = counters.contains(name)
                 ? CheckAmount(amount, "request", name)
                 : PoolFault("{} requests \"{}\", which the pool does not have", of, name);
  }
  return status;
}

absl::Status CheckDevices(const Pool& pool) {
  if (pool.devices.size() > kMostDevices) {
    return PoolFault("the pool has {} devices, at most {} are allowed", pool.devices.size(),
                     kMostDevices);
  }
  Names counters;
  for (const Resource& resource : pool.resources) counters.insert(resource.name);
  Names names;
  for (const Device& device : pool.devices) {
    if (device.name.empty()) return PoolFault("a device has no name");
    if (!names.insert(device.name).second) {
      return PoolFault("device \"{}\" is listed twice", device.name);
    }
    absl::Status status = CheckDevice(device, counters);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

std::string NameOf(const Claim& claim) {
  return fmt::format("{}/{}", claim.namespace_, claim.name);
}

absl::Status CheckClaim(const Claim& claim) {
  if (!claim.fault.empty()) return absl::InvalidArgumentError(claim.fault);
  if (claim.requests.empty()) return ClaimFault("it requests nothing");
  if (claim.requests.size() > kMostRequests) {
    return ClaimFault("{} requests: at most {} are allowed", claim.requests.size(), kMostRequests);
  }
  for (const Request& request : claim.requests) {
    absl::Status status = CheckRequest(request);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status CheckClass(const Class& of) {
  if (of.name.empty()) return ClaimFault("the class has no name");
  if (!of.fault.empty()) return absl::InvalidArgumentError(of.fault);
  if (!InRange(of.min_count) || !InRange(of.max_count)) {
    return ClaimFault("a device count must be from 1 to {}", kMostWanted);
  }
  if (of.max_count.has_value() && of.min_count.value_or(1) > *of.max_count) {
    return ClaimFault("minDeviceCount above maxDeviceCount");
  }
  return absl::OkStatus();
}

absl::Status CheckPool(const Pool& pool) {
  if (pool.name.empty()) return PoolFault("the pool has no name");
  if (pool.count.has_value() && !(pool.devices.empty() && pool.resources.empty())) {
    return PoolFault("spec.count and spec.devices exclude each other: give only devices");
  }
  if (pool.count.value_or(0) > kMostCounted) {
    return PoolFault("spec.count is {}, at most {} are allowed", *pool.count, kMostCounted);
  }
  absl::Status status = CheckAttributes(pool.attributes, "the pool");
  if (status.ok()) status = CheckResources(pool.resources, "the pool");
  return status.ok() ? CheckDevices(pool) : status;
}

}  // namespace outrigger::devices
