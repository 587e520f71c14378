#pragma once

#include <span>
#include <string>

#include "load/usage/source.h"

namespace outrigger::usage {

/// A value of one node, and how much of the resource the node has.
struct UnitSample {
  const std::string* node = nullptr;
  double value = 0;
  double allocatable = 0;  // millicores or bytes; above 0
};

/// What all values of one query say together about their unit.
struct UnitVerdict {
  bool is_impossible = false;  // no running nodes have such values
  std::string why;             // "gives at most 0.31 ..."; empty: nothing is odd
};

/// Compares the values of all nodes with what these have. One node alone may have almost nothing
/// free; a cluster whose every node has less than a millicore, or a five hundredth of its memory,
/// does not run. Values that look like percent or cores may also be those of a cluster that is
/// full: they are odd, not impossible. `is_deviation`: of a deviation, which may well be small.
UnitVerdict JudgeUnit(Resource resource, bool is_deviation, std::span<const UnitSample> samples);

}  // namespace outrigger::usage
