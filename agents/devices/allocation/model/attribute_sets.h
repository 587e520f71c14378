#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "devices/allocation/pool.h"
#include "devices/allocation/selectors.h"

namespace outrigger::devices {

/// Index of a set in AttributeSets.
using SetId = int32_t;

/// The attributes of `pool` with those of `device` on top, by name.
Attributes MergeAttributes(const Attributes& pool, const Attributes& device);

/// A text that is equal for equal values of one kind, and for no others; empty without a value.
std::string KeyOf(const AttributeValue& value);

/// A driver with attributes. Immutable once shared.
struct AttributeSet {
  std::string driver;
  Attributes attributes;  // by name
  DeviceView View() const { return {driver, attributes}; }
};

/// Drivers with attributes, each combination once: devices of one driver with equal attributes
/// share a set, so that an expression is evaluated once for all of them. Sets are added and never
/// removed; the owner starts over when too many are out of use. Thread-compatible.
class AttributeSets {
 public:
  SetId Add(std::string_view driver, Attributes attributes);
  size_t size() const { return sets_.size(); }
  const AttributeSet& operator[](SetId id) const { return *sets_[static_cast<size_t>(id)]; }
  /// All but the first so many; they may outlive this.
  std::vector<std::shared_ptr<const AttributeSet>> From(size_t first) const {
    return {sets_.begin() + static_cast<std::ptrdiff_t>(first), sets_.end()};
  }

 private:
  std::vector<std::shared_ptr<const AttributeSet>> sets_;
  absl::flat_hash_map<std::string, SetId> ids_;
};

/// The value of an attribute of `set`; null if the set has none of the name, or one without value.
const AttributeValue* FindValue(const AttributeSet& set, std::string_view attribute);

}  // namespace outrigger::devices
