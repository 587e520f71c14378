#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cel/values/arena.h"
#include "cel/values/collections.h"
#include "cel/values/semver.h"
#include "cel/values/value.h"
#include "outrigger/k8s/quantity.h"

namespace outrigger::cel {

/// One device as expressions see it. Made once, evaluated any number of times, by several threads
/// at once if need be. Refers to the texts that it was made of: they must outlive it.
class Device {
 public:
  Device(Device&&) = default;
  Device& operator=(Device&&) = default;

  const Value& value() const { return value_; }

  /// Bytes that it takes beyond itself.
  size_t memory() const { return arena_.used(); }

 private:
  friend class DeviceBuilder;
  explicit Device(size_t bytes) : arena_(Arena::kDefaultLimit, bytes) {}

  Arena arena_;
  Value value_;
};

/// Gathers what a device has.
class DeviceBuilder {
 public:
  /// The attribute `name` ("id", or "domain/id" of DRA). Each name at most once. Versions that are
  /// none are InvalidArgument; the device then is unfit for every expression.
  void AddBool(std::string_view name, bool value);
  void AddInt(std::string_view name, int64_t value);
  void AddString(std::string_view name, std::string_view value);
  absl::Status AddVersion(std::string_view name, std::string_view text);
  /// An attribute that is a quantity, as the prototype has them.
  void AddQuantity(std::string_view name, const Quantity& value);
  /// An attribute that cannot be read: an error, and `detail` is its text.
  void AddFault(std::string_view name, std::string_view detail);
  /// An attribute without a value, as the prototype has them.
  void AddNull(std::string_view name);

  /// Attributes that are lists (DRAListTypeAttributes).
  void AddBools(std::string_view name, std::span<const bool> values);
  void AddInts(std::string_view name, std::span<const int64_t> values);
  void AddStrings(std::string_view name, std::span<const std::string_view> values);
  absl::Status AddVersions(std::string_view name, std::span<const std::string_view> texts);

  /// The capacity `name` of DRA.
  void AddCapacity(std::string_view name, const Quantity& value);

  /// `device` of DRA. Names without a domain get that of the driver.
  Device BuildDra(std::string_view driver, bool allow_multiple_allocations) const;

  /// `device` of the prototype: a map of the attributes.
  Device BuildPrototype() const;

 private:
  struct Named {
    std::string_view name;
    uint32_t first = 0;  // of values_
    uint32_t count = 0;
    bool list = false;
  };
  struct Qualified {
    std::string_view domain;
    std::string_view id;
    Named named;
  };

  void Add(std::string_view name, const Value& value);
  void AddAll(std::string_view name, size_t count);
  size_t Bytes(size_t domains) const;
  Value Stored(Arena& arena, const Named& named) const;
  Value Stored(Arena& arena, const Value& value) const;
  Value Domains(Arena& arena, std::string_view driver, const std::vector<Named>& all) const;

  std::vector<Named> attributes_;
  std::vector<Named> capacities_;
  std::vector<Value> values_;  // quantities and versions by their number in the two below
  std::vector<Quantity> quantities_;
  std::vector<Semver> versions_;
};

}  // namespace outrigger::cel
