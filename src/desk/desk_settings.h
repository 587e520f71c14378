#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "outrigger/desk/desk.h"
#include "outrigger/desk/leadership.h"
#include "outrigger/desk/options.h"

namespace outrigger::desk {

/// The settings that all agents at one desk have in common. Not thread-safe.
class DeskSettings {
 public:
  /// Takes what an agent has set; as Desk::Join().
  absl::Status Add(const DeskTerms& terms);
  void Apply(PlanningOptions* options) const;
  Leadership::Options Lease() const;

 private:
  struct Text {
    std::optional<std::string> value;
    std::string agent;  // that has set it
  };
  static absl::Status Take(const std::optional<std::string>& value, std::string_view setting,
                           const std::string& agent, Text* text);
  absl::Status Check(const std::string& agent) const;

  Text scheduler_names_;
  Text scheduler_lease_;
  Text host_name_;
  Text unchecked_;
  Text reserve_after_;
};

}  // namespace outrigger::desk
