#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "outrigger/k8s/quantity.h"

// Quantities as whole numbers, for divisions into blocks.

namespace outrigger::devices {

/// Billionths, the finest that a quantity has. Exact sums of 10^9 of the largest amounts.
__extension__ using Amount = __int128;

inline constexpr int64_t kBillion = 1'000'000'000;
/// 10^18 units.
inline constexpr Amount kMostAmount = Amount{kBillion} * kBillion * kBillion;

/// Nothing if `quantity` is below zero or above kMostAmount.
std::optional<Amount> ToAmount(const Quantity& quantity);

/// The inverse, in the format given, where whole units can be written so.
Quantity ToQuantity(Amount amount, Quantity::Format format);

inline Amount RoundUp(Amount amount, Amount block) {
  return block == 0 ? amount : (amount + block - 1) / block * block;
}
inline Amount RoundDown(Amount amount, Amount block) {
  return block == 0 ? amount : amount / block * block;
}

}  // namespace outrigger::devices
