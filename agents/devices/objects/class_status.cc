#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "devices/objects/objects.h"
#include "devices/objects/status_json.h"
#include "outrigger/base/text.h"

namespace outrigger::devices {
namespace {

// Bounds of deploy/devices/deviceclass.yaml, which count characters.
constexpr size_t kLongestReason = 1024;
constexpr size_t kLongestConditionMessage = 32'768;

}  // namespace

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

}  // namespace outrigger::devices
