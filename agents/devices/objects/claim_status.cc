#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/objects/objects.h"
#include "devices/objects/status_json.h"
#include "outrigger/base/text.h"

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

}  // namespace outrigger::devices
