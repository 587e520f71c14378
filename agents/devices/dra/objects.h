#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "outrigger/k8s/quantity.h"
#include "outrigger/k8s/selector.h"

// Dynamic Resource Allocation, resource.k8s.io/v1: what drivers publish, what administrators define
// and what pods ask for, as far as it decides which devices a pod gets. Plain values.

namespace outrigger::dra {

/// A version as it is written. Equal versions have equal texts.
struct Version {
  std::string text;
  friend bool operator==(const Version&, const Version&) = default;
  friend bool operator<(const Version& a, const Version& b) { return a.text < b.text; }
};

/// std::monostate: of a kind that is not known here, such as a list.
using AttributeValue = std::variant<std::monostate, bool, int64_t, std::string, Version>;

/// By name: "domain/id", or "id" with the driver's domain.
using Attributes = std::map<std::string, AttributeValue, std::less<>>;
using Quantities = std::map<std::string, Quantity, std::less<>>;

/// Which amounts of a capacity may be asked for.
struct RequestPolicy {
  std::optional<Quantity> default_value;  ///< of a request without an amount
  std::vector<Quantity> valid_values;     ///< ascending
  bool has_range = false;
  std::optional<Quantity> min;  ///< of the range
  std::optional<Quantity> max;
  std::optional<Quantity> step;
  friend bool operator==(const RequestPolicy&, const RequestPolicy&) = default;
};

struct Capacity {
  Quantity value;
  std::optional<RequestPolicy> policy;
  friend bool operator==(const Capacity&, const Capacity&) = default;
};

/// What a device takes of a set of shared counters, and what a set has.
struct CounterSet {
  std::string name;
  Quantities counters;
  friend bool operator==(const CounterSet&, const CounterSet&) = default;
};

enum class TaintEffect : uint8_t { kNone, kNoSchedule, kNoExecute };

struct Taint {
  std::string key;
  std::string value;
  TaintEffect effect = TaintEffect::kNone;  ///< effects that are not known hinder nothing: kNone
  friend bool operator==(const Taint&, const Taint&) = default;
};

/// For which nodes something is. Nothing set: for none.
struct NodeChoice {
  std::string node;  ///< its name
  bool all = false;
  std::optional<NodeSelector> selector;
  friend bool operator==(const NodeChoice&, const NodeChoice&) = default;
};

struct Device {
  std::string name;
  Attributes attributes;
  std::map<std::string, Capacity, std::less<>> capacity;
  std::vector<CounterSet> consumes;
  NodeChoice nodes;  ///< where the slice leaves it to its devices
  std::vector<Taint> taints;
  bool binds_to_node = false;
  bool has_binding_conditions = false;
  bool shared = false;  ///< allowMultipleAllocations
  friend bool operator==(const Device&, const Device&) = default;
};

/// A ResourceSlice.
struct Slice {
  std::string name;
  std::string driver;
  std::string pool;
  int64_t generation = 0;
  int64_t slice_count = 0;  ///< slices that the pool has in this generation
  NodeChoice nodes;
  bool per_device = false;  ///< each device has its own `nodes`
  std::vector<CounterSet> counters;
  std::vector<Device> devices;
  /// A device of it is of a compatibility group: kube-scheduler's default leaves the slice out.
  bool has_compatibility_groups = false;
};

/// A DeviceTaintRule: adds a taint to the devices that it names.
struct TaintRule {
  std::string name;
  bool selects = false;  ///< it has a selector: without one it is of no device
  std::optional<std::string> driver;
  std::optional<std::string> pool;
  std::optional<std::string> device;
  Taint taint;
};

/// Parameters for a driver, as they are.
struct Config {
  std::vector<std::string> requests;  ///< empty: all
  std::string json;                   ///< the rest of the object: {"opaque": ...}
  friend bool operator==(const Config&, const Config&) = default;
};

/// A DeviceClass of resource.k8s.io.
struct Class {
  std::string name;
  std::vector<std::string> selectors;  ///< CEL expressions, all of which must be true
  std::vector<Config> configs;
};

struct Toleration {
  enum class Operator : uint8_t { kEqual, kExists, kUnknown } op = Operator::kEqual;
  std::string key;                    ///< empty: every key
  std::string value;                  ///< of kEqual
  std::optional<TaintEffect> effect;  ///< absent: every effect
  friend bool operator==(const Toleration&, const Toleration&) = default;
};

/// One way to serve a request: `exactly`, or one of `firstAvailable`.
struct Ask {
  std::string name;  ///< of the alternative; empty: of `exactly`
  std::string device_class;
  std::vector<std::string> selectors;
  bool all = false;   ///< allocationMode All: every device that matches, and at least one
  int64_t count = 1;  ///< if not `all`
  bool admin_access = false;
  std::vector<Toleration> tolerations;
  Quantities capacity;  ///< what is asked of each device
  friend bool operator==(const Ask&, const Ask&) = default;
};

struct Request {
  std::string name;
  std::vector<Ask> asks;  ///< one, or alternatives by preference
  bool is_list = false;   ///< firstAvailable
  friend bool operator==(const Request&, const Request&) = default;
};

struct Constraint {
  std::vector<std::string> requests;  ///< "request" or "request/alternative"; empty: all
  std::string attribute;              ///< "domain/id"
  bool distinct = false;              ///< all values are different; else all are equal
  friend bool operator==(const Constraint&, const Constraint&) = default;
};

/// A device of a claim's status.
struct Result {
  std::string request;  ///< "request" or "request/alternative"
  std::string driver;
  std::string pool;
  std::string device;
  bool admin_access = false;  ///< it takes nothing: others may have the same
  /// It has a share of the device (shareID), of these amounts.
  bool share = false;
  Quantities consumed;
  friend bool operator==(const Result&, const Result&) = default;
};

/// A ResourceClaim.
struct Claim {
  std::string namespace_;
  std::string name;
  std::string uid;
  std::string owner;  ///< the pod for which it was made of a template; empty: none
  std::vector<Request> requests;
  std::vector<Constraint> constraints;
  std::vector<Config> configs;
  /// Its reader found a field that is not known here and may decide, such as derivedAttributes:
  /// what; empty: none. What would be allocated is not sure then.
  std::string unknown;
  bool allocated = false;
  std::vector<Result> results;        ///< if it is
  std::optional<NodeSelector> nodes;  ///< where it may be used; absent: everywhere
  std::vector<std::string> users;     ///< status.reservedFor: names of pods
};

/// "namespace/name".
std::string NameOf(const Claim& claim);

}  // namespace outrigger::dra
