#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "devices/allocation/pool.h"

// Expressions that choose devices, as the allocator sees them. It does not know their language.

namespace outrigger::devices {

/// What an expression sees of a device. Valid during the call.
struct DeviceView {
  std::string_view driver;
  const Attributes& attributes;  ///< those of the pool and of the device as one, by name
};

/// A compiled expression. Immutable; thread-safe.
class Selector {
 public:
  virtual ~Selector() = default;
  /// True if the device matches. An error (a missing attribute, a division by zero) excludes this
  /// device alone; its message goes into reasons. The same device has always the same answer.
  /// What it costs, in units of CEL's cost (docs/cel.md), is added to `cost`.
  virtual absl::StatusOr<bool> Matches(const DeviceView& device, int64_t* cost) const = 0;
  absl::StatusOr<bool> Matches(const DeviceView& device) const {
    int64_t cost = 0;
    return Matches(device, &cost);
  }
};

enum class Environment : uint8_t {
  kPrototype,  ///< `device.<attribute>`; versions are text
  kOriginal,   ///< as kPrototype, with its fault: to read a quantity fails
};

/// The compiler of expressions. Thread-safe.
class Selectors {
 public:
  virtual ~Selectors() = default;
  /// InvalidArgument names what is wrong, where (line, column, caret) and what would be right.
  virtual absl::StatusOr<std::unique_ptr<const Selector>> Compile(std::string_view text,
                                                                  Environment in) const = 0;
};

/// The Common Expression Language, as docs/cel.md has it.
std::unique_ptr<const Selectors> MakeCelSelectors();

}  // namespace outrigger::devices
