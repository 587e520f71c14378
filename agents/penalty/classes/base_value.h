#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "outrigger/k8s/priority_class.h"
#include "outrigger/k8s/string_map.h"

// The base of a class: its value without a penalty. Functions are pure and thread-safe.

namespace outrigger::penalty {

/// Annotation of a penalised class: its base, a decimal int32. A class at its base does not have
/// it. So the base survives the loss of the journal, and a class that is restored from an export
/// that was taken while it was penalised does not lower its base for ever.
inline constexpr std::string_view kBaseValueAnnotation = "outrigger.dev/base-value";

struct BaseValue {
  int64_t base = 0;
  /// Why the annotation does not count, for an Event; empty: it counts, or is absent.
  std::string problem;
};

/// Returns the base of a class that is not in the journal, or that another writer made: what its
/// annotation says, if that is an integer not below its value and at most 1 000 000 000 (the
/// highest value of a user's class); else its value.
BaseValue BaseOf(const PriorityClass& priority_class);

/// Returns the annotations of a class with that base and value: those that it has, with
/// kBaseValueAnnotation set if value is not base, else without it.
StringMap AnnotationsAt(const StringMap& annotations, int64_t base, int64_t value);

}  // namespace outrigger::penalty
