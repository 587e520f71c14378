#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "outrigger/agent/call_limits.h"
#include "outrigger/agent/priority_classes.h"
#include "outrigger/k8s/priority_class.h"
#include "penalty/classes/class_policy.h"

// Which classes may be deleted and made again. Functions keep no state and are thread-safe.

namespace outrigger::penalty {

// Annotations by which the owner of a class decides, and kPenaltyAnnotation; values are exact.

/// Any value but "false": objects name the class's UID as their owner, and would be deleted with
/// it.
inline constexpr std::string_view kDependentsAnnotation = "outrigger.dev/has-dependents";
/// "allow": a class that a tool manages may be replaced nevertheless.
inline constexpr std::string_view kManagedAnnotation = "outrigger.dev/penalty-managed";

/// Why a class is left alone.
struct Refusal {
  /// A short fixed name, for metrics: "system", "global-default", "ignored", "deleted",
  /// "finalizers", "dependents", "managed", "owner-gone", "owner-unseen".
  std::string_view reason;
  /// For an Event: what is the matter and what helps. Stable for the same state.
  std::string message;
};

/// What is asked of a class: a penalised one is restored although a tool manages it by now, or its
/// annotation says "ignore". One whose pods are mapped is not deleted.
enum class Purpose : uint8_t { kPenalise, kRestore, kMap };

/// Returns why the class may not be replaced, as far as the object itself shows it; nothing: it
/// may be. In the order of Refusal::reason.
std::optional<Refusal> RefusalOf(const PriorityClass& priority_class,
                                 Purpose purpose = Purpose::kPenalise);

/// Asks for each owner of the class: a class that is made again without its owner would be
/// collected as garbage at once. Returns a refusal if one is gone ("owner-gone") or may not be seen
/// ("owner-unseen", which names the missing right). Errors: those of the calls.
absl::StatusOr<std::optional<Refusal>> OwnerRefusal(PriorityClassAccess* classes,
                                                    const PriorityClass& priority_class,
                                                    const CallLimits& limits);

}  // namespace outrigger::penalty
