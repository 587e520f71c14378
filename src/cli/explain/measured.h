#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "outrigger/k8s/node.h"

namespace outrigger::cli {

/// Annotations that `annotate usage` writes of each node it has measured.
inline constexpr std::array<std::string_view, 2> kMeasuredLoad = {"mean-free-cpu",
                                                                  "mean-free-memory"};

/// Whether the load of the node is there for agent safe.
inline bool IsMeasured(const Node& node) {
  return std::any_of(kMeasuredLoad.begin(), kMeasuredLoad.end(),
                     [&](std::string_view key) { return node.annotations.Contains(key); });
}

}  // namespace outrigger::cli
