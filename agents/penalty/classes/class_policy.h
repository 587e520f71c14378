#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "outrigger/k8s/priority_class.h"
#include "outrigger/k8s/selector.h"
#include "penalty/classes/policy.h"

// What a PriorityClass says about its own penalty. Pure and thread-safe.

namespace outrigger::penalty {

/// Annotations of a PriorityClass. A setting of the policy is this and its name:
/// "outrigger.dev/penalty-half-life".
inline constexpr std::string_view kSettingAnnotation = "outrigger.dev/penalty-";
/// With the value "ignore" the class is never touched.
inline constexpr std::string_view kPenaltyAnnotation = "outrigger.dev/penalty";

/// Whether a class is penalised.
enum class Selection : uint8_t {
  kSelected,
  kNotSelected,    ///< the selector does not match, or there is none
  kSystem,         ///< its name begins with "system-"
  kGlobalDefault,  ///< pods without a class would be refused while it is away
  kIgnored,        ///< annotation kPenaltyAnnotation (eligibility.h)
};

/// "selected", "not-selected", "system", "global-default", "ignored": for pages and metrics.
std::string_view SelectionText(Selection selection);

/// Returns whether the class is penalised, by a selector over the labels of classes; nothing
/// selects none. What is never touched comes before the selector.
Selection SelectionOf(const PriorityClass& priority_class,
                      const std::optional<LabelSelector>& selector);

/// Returns the settings of a class: its annotations over `defaults`. InvalidArgument names the
/// annotation, its value and what is accepted; then the class is left alone. Annotations that only
/// begin with kSettingAnnotation are of others, and do not count.
absl::StatusOr<Policy> PolicyOf(const PriorityClass& priority_class, const Policy& defaults);

/// What a Queue or a Namespace says that its PodGroups add: the annotations
/// outrigger.dev/penalty-start and -completion.
struct GroupIncrements {
  std::optional<Increment> start;
  std::optional<Increment> completion;
  std::string problem;  // which annotation is malformed, so does not count; empty: none
  std::string uid;      // of the object
};

/// Reads an object of the API server (JSON). InvalidArgument: it is no JSON object. Pure and
/// thread-safe.
absl::StatusOr<GroupIncrements> GroupIncrementsOf(std::string_view object);

}  // namespace outrigger::penalty
