#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "devices/objects/objects.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/text.h"

namespace outrigger::device_objects {
namespace {

// Parts of statuses as JSON that several kinds have.

using OrderedJson = nlohmann::ordered_json;

// Sets a text, or removes the field if the text is empty.
void SetText(std::string_view key, std::string_view text, OrderedJson* json) {
  (*json)[std::string(key)] = text.empty() ? OrderedJson(nullptr) : OrderedJson(text);
}

// [{name, allocation}].
OrderedJson AmountList(const devices::Amounts& amounts) {
  OrderedJson list = OrderedJson::array();
  for (const auto& [name, amount] : amounts) {
    list.push_back({{"name", name}, {"allocation", amount.ToString()}});
  }
  return list;
}

// RFC 3339 in UTC, to the second.
std::string TimeText(devices::WallTime time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromChrono(time), absl::UTCTimeZone());
}

// Bytes that are not UTF-8 are replaced.
std::string Text(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace

}  // namespace outrigger::device_objects

namespace outrigger::devices {
namespace {

using device_objects::OrderedJson;
using device_objects::SetText;

// Bounds of deploy/devices/deviceclaim.yaml, which count characters.
constexpr size_t kLongestClassText = 1024;
constexpr size_t kLongestMessage = 32'768;

std::string_view StateText(ClaimState state) {
  switch (state) {
    case ClaimState::kPending:
      return "Pending";
    case ClaimState::kAllocated:
      return "Allocated";
    case ClaimState::kInvalid:
      return "Invalid";
    case ClaimState::kNone:
      break;
  }
  return {};
}

OrderedJson AllocationJson(const Allocation& held) {
  OrderedJson json = {{"devicePoolName", held.pool}};
  if (held.device.empty()) {
    json["deviceCount"] = held.count;
  } else {
    json["deviceName"] = held.device;
  }
  if (!held.amounts.empty()) json["allocations"] = device_objects::AmountList(held.amounts);
  if (held.admin_access) json["adminAccess"] = true;
  return json;
}

// A list that has nothing is removed.
template <typename Items, typename ToJson>
void SetList(const char* key, const Items& items, const ToJson& to_json, OrderedJson* json) {
  OrderedJson list = OrderedJson::array();
  for (const auto& item : items) list.push_back(to_json(item));
  (*json)[key] = list.empty() ? OrderedJson(nullptr) : std::move(list);
}

void SetPods(std::span<const PodReference> pods, OrderedJson* json) {
  const auto name_of = [](const PodReference& pod) { return OrderedJson(pod.name); };
  SetList("podNames", pods, name_of, json);
  const auto reference = [](const PodReference& pod) {
    return OrderedJson({{"name", pod.name}, {"uid", pod.uid}});
  };
  SetList("pods", pods, reference, json);
}

// Copies without what belongs to the API server's own bookkeeping. What is no object is left out.
OrderedJson CopiesJson(const std::vector<std::string>& copies) {
  OrderedJson list = OrderedJson::array();
  for (const std::string& text : copies) {
    OrderedJson copy = OrderedJson::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!copy.is_object()) continue;
    const auto metadata = copy.find("metadata");
    if (metadata != copy.end() && metadata->is_object()) metadata->erase("managedFields");
    list.push_back(std::move(copy));
  }
  return list.empty() ? OrderedJson(nullptr) : list;
}

void AddName(const std::string& name, std::vector<std::string_view>* names) {
  if (name.empty() || std::find(names->begin(), names->end(), name) != names->end()) return;
  names->push_back(name);
}

// Bounds of deploy/devices/deviceclass.yaml, which count characters.
constexpr size_t kLongestReason = 1024;
constexpr size_t kLongestConditionMessage = 32'768;

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

std::vector<Allocation> HoldingOf(const ClaimObject& claim) {
  std::vector<Allocation> holding;
  if (claim.privileged) return holding;
  std::copy_if(claim.claim.allocations.begin(), claim.claim.allocations.end(),
               std::back_inserter(holding),
               [](const Allocation& one) { return !one.admin_access; });
  return holding;
}

std::string ClaimStatusPatch(const ClaimStatus& status) {
  OrderedJson patch;
  SetText("state", StateText(status.state), &patch);
  SetText("class", Shortened(status.class_text, kLongestClassText), &patch);
  SetText("nodeName", status.node, &patch);
  SetText("message", Shortened(status.message, kLongestMessage), &patch);
  patch["observedGeneration"] = status.observed_generation;
  SetList("allocations", status.allocations, AllocationJson, &patch);
  SetPods(status.pods, &patch);
  patch["classConfigs"] = CopiesJson(status.class_configs);
  patch["claimConfigs"] = CopiesJson(status.claim_configs);
  return device_objects::Text(patch);
}

std::string ClaimUsePatch(std::span<const PodReference> pods, std::string_view message) {
  OrderedJson patch;
  SetText("message", Shortened(message, kLongestMessage), &patch);
  SetPods(pods, &patch);
  return device_objects::Text(patch);
}

std::string ClassText(const Claim& claim) {
  std::vector<std::string_view> names;
  for (const Request& request : claim.requests) {
    for (const Detail& detail : request.details) {
      AddName(detail.device_class, &names);
      AddName(detail.device_type, &names);
    }
  }
  std::string text;
  for (const std::string_view name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

std::string ClassStatusPatch(const ClassObject& of, bool ready, std::string_view reason,
                             std::string_view message, std::span<const std::string> drivers,
                             WallTime now) {
  using device_objects::OrderedJson;
  const bool changes = of.ready != ready || !of.ready_since.has_value();
  OrderedJson condition = {{"type", "Ready"}, {"status", ready ? "True" : "False"}};
  if (of.version.generation > 0) condition["observedGeneration"] = of.version.generation;
  condition["lastTransitionTime"] = device_objects::TimeText(changes ? now : *of.ready_since);
  condition["reason"] = Shortened(reason, kLongestReason);
  condition["message"] = Shortened(message, kLongestConditionMessage);
  OrderedJson patch = {{"conditions", OrderedJson::array({std::move(condition)})}};
  OrderedJson names = OrderedJson::array();
  for (const std::string& driver : drivers) names.push_back(driver);
  patch["drivers"] = names.empty() ? OrderedJson(nullptr) : std::move(names);
  return device_objects::Text(patch);
}

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
