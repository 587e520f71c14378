#include "cli/doctor/penalty_rooms.h"

#include <algorithm>
#include <string>
#include <utility>

#include "fmt/format.h"
#include "penalty/classes/base_value.h"
#include "penalty/classes/bounds.h"
#include "penalty/classes/class_policy.h"

namespace outrigger::cli {

absl::StatusOr<PenaltyRooms> PenaltyRooms::Make(const std::vector<SettingGroup>& groups) {
  PenaltyRooms rooms;
  const penalty::SettingNames names;
  for (const SettingGroup& group : groups) {
    if (group.agent == nullptr || group.agent->name != "penalty") continue;
    for (const BoundSetting& setting : group.settings) {
      const std::string text = setting.spec.print(setting.target);
      if (text.empty()) continue;
      absl::Status status;
      if (setting.spec.name == "class-selector") {
        status = ParseLabelSelector(text, &rooms.selector_.emplace());
      } else if (setting.spec.name == "replacement") {
        rooms.is_mapped_ = text == "mapped";
      } else if (std::find(names.begin(), names.end(), setting.spec.name) != names.end()) {
        status = rooms.policy_.Set(setting.spec.name, text);
      }
      if (!status.ok()) return status;
    }
  }
  return rooms;
}

void PenaltyRooms::AddTo(Findings* findings) const {
  const penalty::Barriers barriers = penalty::BarriersOf(classes_, nullptr);
  for (const PriorityClass& one : classes_) {
    const penalty::Selection selection = penalty::SelectionOf(one, selector_);
    const bool is_mapped_default = selection == penalty::Selection::kGlobalDefault && is_mapped_ &&
                                   selector_->Matches(one.labels);
    if (selection != penalty::Selection::kSelected && !is_mapped_default) continue;
    const int64_t base = penalty::BaseOf(one).base;
    const auto bounds = penalty::ClassBoundsOf(one, base, policy_, barriers);
    if (!bounds.ok() || bounds->room.empty()) continue;  // the agent reports an error on the class
    findings->Add(
        FindingId::kPenaltyNoRoom, Place{"PriorityClass " + one.name, 0, 0},
        fmt::format("base {}, floor {} of {}", base, bounds->floor.value, bounds->floor.of),
        std::string(penalty::kRoomRemedy));
  }
}

}  // namespace outrigger::cli
