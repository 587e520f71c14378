#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "devices/objects/objects.h"
#include "devices/objects/status_json.h"

namespace outrigger::devices {
namespace {

using device_objects::OrderedJson;

bool IsCounted(const PoolEntry& entry) {
  return std::any_of(entry.holding.begin(), entry.holding.end(),
                     [](const Allocation& held) { return held.device.empty(); });
}

// Each sum is bounded, so that none that was edited by hand overflows.
int64_t CountOf(const PoolEntry& entry) {
  int64_t count = 0;
  for (const Allocation& held : entry.holding) {
    if (held.device.empty()) count += std::clamp<int64_t>(held.count, 0, kMostCounted - count);
  }
  return count;
}

OrderedJson DeviceList(const PoolEntry& entry) {
  OrderedJson list = OrderedJson::array();
  for (const Allocation& held : entry.holding) {
    OrderedJson device = {{"name", held.device}};
    if (!held.amounts.empty()) {
      device["allocations"] = device_objects::AmountList(held.amounts);
    }
    list.push_back(std::move(device));
  }
  return list;
}

// A field that has nothing is left out.
void AddText(std::string_view key, std::string_view text, OrderedJson* json) {
  if (!text.empty()) (*json)[std::string(key)] = text;
}

OrderedJson EntryJson(const PoolEntry& entry) {
  OrderedJson json = {{"claimUID", entry.claim_uid}};
  AddText("claimNamespace", entry.claim_namespace, &json);
  AddText("claimName", entry.claim_name, &json);
  AddText("podName", entry.pod_name, &json);
  AddText("podUID", entry.pod_uid, &json);
  json["state"] = entry.confirmed ? "Confirmed" : "Intent";
  if (entry.deadline.has_value()) json["deadline"] = device_objects::TimeText(*entry.deadline);
  AddText("writer", entry.writer, &json);
  // An entry has one of the two; one that has nothing has an empty list.
  if (IsCounted(entry)) {
    json["deviceCount"] = CountOf(entry);
  } else {
    json["devices"] = DeviceList(entry);
  }
  return json;
}

/// What claims have of one device.
struct DeviceUse {
  bool whole = false;
  std::map<std::string_view, Quantity> amounts;  // of own resources
};

bool IsPartlyFree(const Device& device, const DeviceUse& use) {
  if (use.whole) return false;
  return std::any_of(device.resources.begin(), device.resources.end(), [&](const Resource& own) {
    const auto used = use.amounts.find(own.name);
    return used == use.amounts.end() || used->second < own.capacity;
  });
}

// Of a resource without an amount a claim has all, as in the allocator.
void AddUse(const Device& device, const Allocation& held, DeviceUse* use) {
  if (held.amounts.empty() || device.resources.empty()) use->whole = true;
  for (const Resource& own : device.resources) {
    const auto amount = held.amounts.find(own.name);
    use->amounts[own.name] += amount == held.amounts.end() ? own.capacity : amount->second;
  }
}

int64_t FreeDevices(const Pool& pool, std::span<const PoolEntry> entries) {
  std::map<std::string_view, const Device*> devices;
  for (const Device& device : pool.devices) devices[device.name] = &device;
  std::map<std::string_view, DeviceUse> uses;
  for (const PoolEntry& entry : entries) {
    for (const Allocation& held : entry.holding) {
      const auto found = devices.find(held.device);
      if (found != devices.end()) AddUse(*found->second, held, &uses[found->first]);
    }
  }
  const auto used = std::count_if(uses.begin(), uses.end(), [&](const auto& use) {
    return !IsPartlyFree(*devices.at(use.first), use.second);
  });
  return static_cast<int64_t>(devices.size()) - used;
}

int64_t FreeCount(int64_t total, std::span<const PoolEntry> entries) {
  int64_t free = total;
  for (const PoolEntry& entry : entries) free -= std::min(CountOf(entry), free);
  return free;
}

}  // namespace

PoolTotals TotalsOf(const PoolObject& pool, std::span<const PoolEntry> entries) {
  const bool counts = pool.pool.devices.empty();
  const int64_t total = counts ? std::max<int64_t>(pool.pool.count.value_or(0), 0)
                               : static_cast<int64_t>(pool.pool.devices.size());
  return {total, counts ? FreeCount(total, entries) : FreeDevices(pool.pool, entries)};
}

std::string PoolStatusPatch(const PoolObject& pool, std::span<const PoolEntry> entries) {
  const PoolTotals totals = TotalsOf(pool, entries);
  OrderedJson list = OrderedJson::array();
  for (const PoolEntry& entry : entries) list.push_back(EntryJson(entry));
  OrderedJson patch;
  patch["allocations"] = std::move(list);
  patch["totalDevices"] = totals.total;
  patch["freeDevices"] = totals.free;
  return device_objects::Text(patch);
}

}  // namespace outrigger::devices
