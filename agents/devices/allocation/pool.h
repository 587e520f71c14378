#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "outrigger/k8s/quantity.h"

// What nodes offer: the DevicePool of devmgmtproto.k8s.io/v1alpha1, both dialects. Plain values.

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

/// Amounts by the name of their resource.
using Amounts = std::map<std::string, Quantity, std::less<>>;

/// An amount that can be divided.
struct Resource {
  std::string name;
  Quantity capacity;
  /// What is given out is a multiple of this, and at least once this. Nothing: any amount is.
  std::optional<Quantity> block_size;
  friend bool operator==(const Resource&, const Resource&) = default;
};

/// One device of the device dialect.
struct Device {
  std::string name;
  Attributes attributes;  ///< override those of the pool with the same name
  Amounts requests;       ///< what the device takes of the pool's resources while it is in use
  /// What the device itself has. A device with own resources serves several claims at once, up to
  /// these capacities; one without is in use by one claim.
  std::vector<Resource> resources;
  friend bool operator==(const Device&, const Device&) = default;
};

struct Pool {
  std::string name;
  std::string node;  ///< empty: attached to the network
  std::string driver;
  Attributes attributes;
  /// The count dialect: so many equal devices without names. A million costs as much as one.
  std::optional<int64_t> count;
  // The device dialect.
  std::vector<Resource> resources;  ///< shared by the devices of the pool
  std::vector<Device> devices;
  friend bool operator==(const Pool&, const Pool&) = default;
};

/// More devices in one pool are refused, in either dialect.
inline constexpr int64_t kMostCounted = 1'000'000'000;
inline constexpr size_t kMostDevices = 10'000;

/// InvalidArgument names the first rule that `pool` breaks: no name, both dialects at once, a name
/// used twice (attribute, device, resource), a resource that the pool does not have, an amount
/// below zero or above 10^18, a block of nothing, too many devices. A count below zero is valid and
/// offers nothing, as in the prototype. Thread-safe.
absl::Status CheckPool(const Pool& pool);

}  // namespace outrigger::devices
