#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/doctor/findings.h"
#include "console/settings/setting_group.h"
#include "outrigger/k8s/priority_class.h"
#include "outrigger/k8s/selector.h"
#include "penalty/classes/policy.h"

// Classes that agent penalty is to penalise, and whose floor leaves them no room.

namespace outrigger::cli {

/// Finds such classes. Not thread-safe.
class PenaltyRooms {
 public:
  /// By the settings of the agent; without it, or without its class-selector, nothing is wanted.
  /// InvalidArgument for what it refuses.
  static absl::StatusOr<PenaltyRooms> Make(const std::vector<SettingGroup>& groups);

  /// Whether classes are looked at.
  bool wants_classes() const { return selector_.has_value(); }
  void Take(PriorityClass priority_class) { classes_.push_back(std::move(priority_class)); }
  /// Adds one finding for each class.
  void AddTo(Findings* findings) const;

 private:
  penalty::Policy policy_;
  std::optional<LabelSelector> selector_;
  bool is_mapped_ = false;  // the default class is penalised, too
  std::vector<PriorityClass> classes_;
};

}  // namespace outrigger::cli
