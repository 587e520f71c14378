#include "penalty/classes/class_policy.h"

#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "penalty/classes/eligibility.h"
#include "penalty/classes/policy/text.h"

namespace outrigger::penalty {

std::string_view SelectionText(Selection selection) {
  switch (selection) {
    case Selection::kSelected:
      return "selected";
    case Selection::kNotSelected:
      return "not-selected";
    case Selection::kSystem:
      return "system";
    case Selection::kGlobalDefault:
      return "global-default";
    case Selection::kIgnored:
      return "ignored";
  }
  return "";
}

Selection SelectionOf(const PriorityClass& priority_class,
                      const std::optional<LabelSelector>& selector) {
  if (priority_class.name.starts_with("system-")) return Selection::kSystem;
  if (priority_class.global_default) return Selection::kGlobalDefault;
  if (priority_class.annotations.Get(kPenaltyAnnotation) == "ignore") return Selection::kIgnored;
  if (!selector || !selector->Matches(priority_class.labels)) return Selection::kNotSelected;
  return Selection::kSelected;
}

absl::StatusOr<Policy> PolicyOf(const PriorityClass& priority_class, const Policy& defaults) {
  Policy policy = defaults;
  const StringMap& annotations = priority_class.annotations;
  const bool has_settings =
      std::any_of(annotations.begin(), annotations.end(),
                  [](const auto& entry) { return entry.first.starts_with(kSettingAnnotation); });
  if (!has_settings) return policy;
  for (const std::string_view setting : SettingNames()) {
    const std::string* text =
        priority_class.annotations.Find(fmt::format("{}{}", kSettingAnnotation, setting));
    if (text == nullptr) continue;
    const absl::Status status = policy.Set(setting, *text);
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          fmt::format("annotation {}{}", kSettingAnnotation, std::string(status.message())));
    }
  }
  const absl::Status status = policy.Validate();
  if (!status.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("annotation {}{}", kSettingAnnotation, std::string(status.message())));
  }
  return policy;
}

namespace {

using Json = nlohmann::json;

// The text at a pointer; nothing: there is none.
std::optional<std::string> TextAt(const Json& object, const Json::json_pointer& at) {
  if (!object.contains(at) || !object.at(at).is_string()) return std::nullopt;
  return object.at(at).get<std::string>();
}

// Reads one annotation; what is malformed is added to `problem`.
std::optional<Increment> IncrementIn(const Json& object, std::string_view setting,
                                     std::string* problem) {
  const std::string key = fmt::format("{}{}", kSettingAnnotation, setting);
  const auto text = TextAt(object, Json::json_pointer("/metadata/annotations") / key);
  if (!text) return std::nullopt;
  Policy policy;
  absl::Status status = policy.Set(setting, *text);
  if (status.ok()) status = policy.Validate();
  if (status.ok()) return setting == "start" ? policy.start : policy.completion;
  *problem += fmt::format("{}annotation {}{}", problem->empty() ? "" : "; ", kSettingAnnotation,
                          std::string(status.message()));
  return std::nullopt;
}

}  // namespace

absl::StatusOr<GroupIncrements> GroupIncrementsOf(std::string_view object) {
  const Json read = Json::parse(object, nullptr, /*allow_exceptions=*/false);
  if (!read.is_object()) return absl::InvalidArgumentError("no JSON object");
  GroupIncrements said;
  said.start = IncrementIn(read, "start", &said.problem);
  said.completion = IncrementIn(read, "completion", &said.problem);
  said.uid = TextAt(read, Json::json_pointer("/metadata/uid")).value_or("");
  return said;
}

}  // namespace outrigger::penalty
