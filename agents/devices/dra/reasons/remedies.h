#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "devices/dra/reasons/reason.h"

namespace outrigger::dra {

/// A change that was tried out.
struct Remedy {
  std::string text;  ///< empty: none would do
  int64_t cost = 0;
};

/// The cheapest single change with which `node` serves `claims`.
Remedy FindRemedy(const Allocator& allocator, const Node& node, std::span<const Claim> claims,
                  const std::vector<AskReport>& asks);

}  // namespace outrigger::dra
