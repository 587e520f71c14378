#include "devices/writer/room.h"

#include <algorithm>
#include <cstdint>

#include "fmt/format.h"

namespace outrigger::device_writer {
namespace {

using devices::Allocation;
using devices::Device;
using devices::PoolEntry;
using devices::Resource;

std::string ClaimOf(const PoolEntry& entry) {
  return fmt::format("{}/{}", entry.claim_namespace, entry.claim_name);
}

template <typename... Args>
absl::Status NoRoom(fmt::format_string<Args...> text, Args&&... args) {
  return absl::FailedPreconditionError(fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace

Room::Room(const devices::Pool& pool, std::span<const PoolEntry> entries) : pool_(pool) {
  for (const Device& device : pool.devices) uses_[device.name].device = &device;
  for (const PoolEntry& entry : entries) Add(entry);
}

void Room::Add(const PoolEntry& entry) {
  for (const Allocation& held : entry.holding) Add(entry, held);
}

void Room::Add(const PoolEntry& entry, const Allocation& held) {
  if (held.device.empty()) {
    count_ += std::clamp<int64_t>(held.count, 0, devices::kMostCounted);
    return;
  }
  const auto found = uses_.find(held.device);
  if (found == uses_.end()) return;
  Use& use = found->second;
  if (use.holders++ == 0) {
    use.first = &entry;
    for (const auto& [name, amount] : use.device->requests) counters_[name] += amount;
  }
  use.last = &entry;
  for (const Resource& own : use.device->resources) {
    const auto amount = held.amounts.find(own.name);
    use.amounts[own.name] += amount == held.amounts.end() ? own.capacity : amount->second;
  }
}

absl::Status Room::Check(const PoolEntry& entry) const {
  for (const Allocation& held : entry.holding) {
    if (held.device.empty()) {
      const int64_t total = std::max<int64_t>(pool_.count.value_or(0), 0);
      if (count_ <= total) continue;
      return NoRoom("pool {}: {} devices would be in use, it has {}", pool_.name, count_, total);
    }
    const auto use = uses_.find(held.device);
    if (use == uses_.end()) return NoRoom("pool {} has no device {}", pool_.name, held.device);
    absl::Status status = CheckDevice(entry, use->second);
    if (status.ok()) status = CheckCounters(*use->second.device);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Room::CheckDevice(const PoolEntry& entry, const Use& use) const {
  const Device& device = *use.device;
  if (device.resources.empty() && use.holders > 1) {
    const PoolEntry& other = use.first == &entry ? *use.last : *use.first;
    // Whoever may read this claim may not read those of other namespaces.
    const bool is_own = other.claim_namespace == entry.claim_namespace;
    return NoRoom("device {} of pool {} is in use by {}", device.name, pool_.name,
                  is_own ? fmt::format("claim {}", ClaimOf(other))
                         : std::string("a claim of another namespace"));
  }
  for (const Resource& own : device.resources) {
    const auto sum = use.amounts.find(own.name);
    if (sum == use.amounts.end() || sum->second <= own.capacity) continue;
    return NoRoom("device {} of pool {}: {} of {} would be in use, it has {}", device.name,
                  pool_.name, sum->second.ToString(), own.name, own.capacity.ToString());
  }
  return absl::OkStatus();
}

absl::Status Room::CheckCounters(const Device& device) const {
  for (const Resource& counter : pool_.resources) {
    const auto used = counters_.find(counter.name);
    if (!device.requests.contains(counter.name) || used == counters_.end()) continue;
    if (used->second <= counter.capacity) continue;
    return NoRoom("pool {}: {} of {} would be used, it has {}", pool_.name, used->second.ToString(),
                  counter.name, counter.capacity.ToString());
  }
  return absl::OkStatus();
}

}  // namespace outrigger::device_writer
