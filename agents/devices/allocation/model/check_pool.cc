#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "devices/allocation/model/amount.h"
#include "devices/allocation/pool.h"
#include "fmt/format.h"

namespace outrigger::devices {
namespace {

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
