#pragma once

#include <cstdint>
#include <span>

#include "cel/library/function.h"
#include "cel/values/value.h"

namespace outrigger::cel {

/// What one call costs. Arguments that are errors count as size 1.
uint64_t CostOf(CostRule rule, std::span<const Value> args, const Value& result);

/// Whether the rule has what it counts: upstream ends an evaluation that sorts, or makes distinct,
/// the error of another operation.
bool CanBeCounted(CostRule rule, std::span<const Value> args);

/// What == costs: a tenth of the lesser size, rounded up; 1 for Kubernetes' own types on the left.
uint64_t CostOfEqual(const Value& a, const Value& b);

}  // namespace outrigger::cel
