#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "outrigger/k8s/quantity.h"

namespace outrigger::devices {

/// A semantic version, as text: versions match if their texts are equal.
struct Version {
  std::string text;
  friend bool operator==(const Version&, const Version&) = default;
};

/// The value of an attribute. std::monostate: the attribute has a name and no value. Values of
/// different kinds are never equal; quantities compare by amount, not by spelling.
using AttributeValue = std::variant<std::monostate, std::string, int64_t, Quantity, Version>;

/// One attribute of a device or of all devices of a pool. A plain value.
struct Attribute {
  std::string name;
  AttributeValue value;
  friend bool operator==(const Attribute&, const Attribute&) = default;
};

/// Attributes in the order of their object. In a valid pool each name occurs once.
using Attributes = std::vector<Attribute>;

}  // namespace outrigger::devices
