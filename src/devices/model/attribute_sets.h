#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "outrigger/devices/attribute.h"
#include "outrigger/devices/selectors.h"

namespace outrigger::devices {

/// Index of a set in AttributeSets.
using SetId = int32_t;

/// The attributes of `pool` with those of `device` on top, by name.
Attributes MergeAttributes(const Attributes& pool, const Attributes& device);

/// A text that is equal for equal values of one kind, and for no others; empty without a value.
std::string KeyOf(const AttributeValue& value);

/// Drivers with attributes, each combination once: devices of one driver with equal attributes
/// share a set, so that an expression is evaluated once for all of them. Sets are added and never
/// removed; the owner starts over when too many are out of use. Thread-compatible.
class AttributeSets {
 public:
  struct Set {
    std::string driver;
    Attributes attributes;  // by name
    DeviceView View() const { return {driver, attributes}; }
  };

  SetId Add(std::string_view driver, Attributes attributes);
  size_t size() const { return sets_.size(); }
  const Set& operator[](SetId id) const { return *sets_[static_cast<size_t>(id)]; }

 private:
  std::vector<std::unique_ptr<const Set>> sets_;
  absl::flat_hash_map<std::string, SetId> ids_;
};

/// The value of an attribute of `set`; null if the set has none of the name, or one without value.
const AttributeValue* FindValue(const AttributeSets::Set& set, std::string_view attribute);

}  // namespace outrigger::devices
