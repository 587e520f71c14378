#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"

// What administrators define: DeviceClass and DeviceDriver of devmgmtproto.k8s.io/v1alpha1, both
// dialects. Plain values.

namespace outrigger::devices {

struct Class {
  std::string name;
  std::string driver;  ///< empty: every driver that registers device_type
  std::string device_type;
  std::string constraints;  ///< a CEL expression; empty: every device of the driver
  // The count dialect.
  std::optional<int64_t> min_count;  ///< devices of a claim; nothing: 1
  std::optional<int64_t> max_count;  ///< nothing: no limit
  std::vector<std::string> match_attributes;
  // The device dialect.
  bool admin_access = false;  ///< claims of this class ignore what is in use, and use up nothing
  /// What its reader found wrong, such as an unknown field; empty: nothing. CheckClass() returns
  /// it.
  std::string fault;
  friend bool operator==(const Class&, const Class&) = default;
};

/// A driver of the count dialect. In the device dialect classes name the driver.
struct Driver {
  std::string name;
  std::vector<std::string> device_types;
  friend bool operator==(const Driver&, const Driver&) = default;
};

/// InvalidArgument names the first rule that `of` breaks: no name, a `fault`, a count below 1, a
/// minimum above the maximum. Thread-safe.
absl::Status CheckClass(const Class& of);

}  // namespace outrigger::devices
