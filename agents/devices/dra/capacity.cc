#include "devices/dra/capacity.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "fmt/format.h"

namespace outrigger::dra {
namespace {

__extension__ using Int128 = __int128;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

absl::Status TooLarge(std::string_view name, const Quantity& asked) {
  return absl::OutOfRangeError(
      fmt::format("capacity \"{}\": {} cannot be rounded to a step", name, asked.ToString()));
}

// Steps are whole numbers: fractions count once DRAFractionalCapacityRange is on, which it is by
// default after 1.37.
absl::StatusOr<Quantity> RoundToStep(std::string_view name, const Quantity& asked,
                                     const RequestPolicy& policy) {
  if (asked < *policy.min) return *policy.min;
  if (!policy.step) return asked;
  if (asked > Quantity::FromInt(kMost)) return TooLarge(name, asked);
  const Int128 step = policy.step->Value();
  const Int128 least = policy.min->Value();
  if (step <= 0) return TooLarge(name, asked);
  const Int128 added = asked.Value() - least;
  const Int128 rounded = least + (added / step + (added % step != 0 ? 1 : 0)) * step;
  if (rounded > kMost) return TooLarge(name, asked);
  return Quantity::FromInt(static_cast<int64_t>(rounded), policy.step->format());
}

absl::StatusOr<Quantity> TakenOf(std::string_view name, const Capacity& capacity,
                                 const Quantity* asked) {
  const std::optional<RequestPolicy>& policy = capacity.policy;
  if (asked == nullptr) {
    return policy && policy->default_value ? *policy->default_value : capacity.value;
  }
  if (!policy) return *asked;
  if (policy->has_range && policy->min) return RoundToStep(name, *asked, *policy);
  for (const Quantity& valid : policy->valid_values) {
    if (*asked <= valid) return valid;
  }
  return *asked;
}

bool IsOnStep(const Quantity& wanted, const RequestPolicy& policy) {
  if (!policy.step || !policy.min) return true;
  const Int128 step = policy.step->Value();
  return step > 0 && (Int128{wanted.Value()} - policy.min->Value()) % step == 0;
}

bool IsAllowed(const Quantity& wanted, const std::optional<RequestPolicy>& policy) {
  if (!policy || (policy->default_value && wanted == *policy->default_value)) return true;
  if (policy->has_range) {
    return (!policy->max || wanted <= *policy->max) && IsOnStep(wanted, *policy);
  }
  const auto& values = policy->valid_values;
  return values.empty() || std::find(values.begin(), values.end(), wanted) != values.end();
}

}  // namespace

absl::StatusOr<Quantities> Consumed(const Quantities& asked, const Device& device) {
  Quantities consumed;
  for (const auto& [name, capacity] : device.capacity) {
    const auto wanted = asked.find(name);
    const auto taken = TakenOf(name, capacity, wanted == asked.end() ? nullptr : &wanted->second);
    if (!taken.ok()) return taken.status();
    if (*taken < Quantity()) {
      return absl::OutOfRangeError(fmt::format("capacity \"{}\": value is negative", name));
    }
    consumed.emplace(name, *taken);
  }
  return consumed;
}

std::string WhyNotEnough(const Quantities& asked, const Quantities& consumed, const Device& device,
                         const Quantities& used) {
  for (const auto& entry : asked) {
    if (!device.capacity.contains(entry.first)) {
      return fmt::format("{}: the device has no such capacity", entry.first);
    }
  }
  for (const auto& [name, capacity] : device.capacity) {
    const Quantity& wanted = consumed.at(name);
    if (!IsAllowed(wanted, capacity.policy)) {
      return fmt::format("{}: {} is not an amount that can be requested", name, wanted.ToString());
    }
    const auto taken = used.find(name);
    const Quantity left = taken == used.end() ? capacity.value : capacity.value - taken->second;
    if (wanted > left) {
      return fmt::format("{}: {} requested, {} left", name, wanted.ToString(), left.ToString());
    }
  }
  return "";
}

}  // namespace outrigger::dra
