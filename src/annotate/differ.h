#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "annotate/node_values.h"

namespace outrigger::annotate {

/// Which differences are worth a patch.
struct DiffPolicy {
  /// A number is written if it differs from what the node shows by more than this share of that.
  double threshold = 0;
  /// The longest time for which measured values stay unwritten since they moved too little.
  std::chrono::seconds refresh{600};
};

/// Returns the change that makes a node show `wanted` where it shows `shown`, without the
/// annotations `overdue`, which are removed. Empty: nothing is worth a patch. If one value is worth
/// it, all that differ are in the change, so that a node shows values of one moment. The
/// time of the measurement is not written while the node still shows a value that is missing now:
/// it would make an old value look new. A pure function.
NodeChange Difference(const NodeValues& wanted, const Annotations& shown,
                      const std::vector<std::string>& overdue, const DiffPolicy& policy);

}  // namespace outrigger::annotate
