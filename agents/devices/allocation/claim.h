#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "devices/allocation/pool.h"

// What pods ask for: DeviceClaim and DevicePrivilegedClaim of devmgmtproto.k8s.io/v1alpha1, both
// dialects as one: a claim of the count dialect has one request with one detail. Plain values.

namespace outrigger::devices {

/// One way to serve a request.
struct Detail {
  std::string device_class;
  std::string device_type;  ///< devices of any class of this type, but for admin_access
  std::string driver;       ///< count dialect: narrows a class to one driver; empty: does not
  std::string constraints;  ///< a CEL expression, in addition to that of the class
  /// Devices at least: nothing: the minimum of the class, else 1.
  std::optional<int64_t> min_count;
  /// Devices at most: nothing: no limit. The fewest that serve are allocated.
  std::optional<int64_t> max_count;
  /// Amounts of the devices' own resources, as sums over the chosen devices. A device gives all
  /// that it has of an own resource for which no amount is asked.
  Amounts amounts;
  std::vector<std::string> match_attributes;     ///< equal for all devices of this detail
  std::vector<std::string> distinct_attributes;  ///< different for all devices of this detail
  /// Every device that matches, and at least one.
  bool all = false;
  /// Devices in use do, nothing is used up, and amounts do not count. With this and `driver`
  /// neither class nor type is needed: any device of the driver.
  bool admin_access = false;
  friend bool operator==(const Detail&, const Detail&) = default;
};

struct Request {
  /// Alternatives by preference: the first with which all later requests can be served counts.
  std::vector<Detail> details;
  friend bool operator==(const Request&, const Request&) = default;
};

/// What was given to a claim, of one device or of several devices without names.
struct Allocation {
  std::string pool;
  std::string device;  ///< empty: `count` devices of a pool of the count dialect
  int64_t count = 1;
  Amounts amounts;            ///< of the device's own resources; none: the whole device
  bool admin_access = false;  ///< it takes nothing: others may have the same
  friend bool operator==(const Allocation&, const Allocation&) = default;
};

struct Claim {
  std::string namespace_;
  std::string name;
  std::string uid;
  /// Of the count dialect: counts are held against those of the class, and what is chosen touches
  /// as few pools as possible.
  bool counts = false;
  std::vector<std::string> match_attributes;     ///< equal for all devices of the claim
  std::vector<std::string> distinct_attributes;  ///< different for all devices of the claim
  std::vector<Request> requests;
  /// What its reader found wrong, such as both dialects at once; empty: nothing. CheckClaim()
  /// returns it.
  std::string fault;
  std::vector<Allocation> allocations;  ///< its status
  std::vector<std::string> pods;        ///< names of the pods that use it: its status
  friend bool operator==(const Claim&, const Claim&) = default;
};

/// "namespace/name".
std::string NameOf(const Claim& claim);

inline constexpr size_t kMostRequests = 32;
inline constexpr size_t kMostAlternatives = 8;
inline constexpr int64_t kMostWanted = kMostCounted;

/// InvalidArgument names the first rule that `claim` breaks by itself, whatever its class is: no
/// request or too many, a detail with neither class nor type, a count below 1 or above 10^9, a
/// minimum above the maximum, an amount that is out of range. Thread-safe.
absl::Status CheckClaim(const Claim& claim);

}  // namespace outrigger::devices
