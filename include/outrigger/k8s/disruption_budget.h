#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "outrigger/k8s/selector.h"

namespace outrigger {

/// A PodDisruptionBudget of policy/v1: the fields that eviction uses. A plain value.
struct DisruptionBudget {
  std::string namespace_;
  std::string name;
  /// Of pods in the namespace; an empty one selects all, an absent one none.
  std::optional<LabelSelector> selector;
  /// status.disruptionsAllowed: how many of the pods may be evicted now.
  int64_t allowed = 0;
  friend bool operator==(const DisruptionBudget&, const DisruptionBudget&) = default;
};

}  // namespace outrigger
