#include "outrigger/penalty/class_policy.h"

#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "outrigger/penalty/eligibility.h"
#include "penalty/policy/text.h"

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

}  // namespace outrigger::penalty
