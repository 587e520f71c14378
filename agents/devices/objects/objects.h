#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "devices/allocation/claim.h"
#include "devices/allocation/device_class.h"
#include "devices/allocation/pool.h"
#include "outrigger/agent/custom_objects.h"

// The objects of devmgmtproto.k8s.io/v1alpha1 as the API server has them: spec, metadata and
// status, and what is written into statuses. docs/devices.md has the fields. Plain
// values; all functions are thread-safe and make no call. Linked by Outrigger::devices.

namespace outrigger::devices {

inline constexpr CustomKind kPoolKind{"devmgmtproto.k8s.io", "v1alpha1", "devicepools",
                                      "DevicePool", false};
inline constexpr CustomKind kClassKind{"devmgmtproto.k8s.io", "v1alpha1", "deviceclasses",
                                       "DeviceClass", false};
inline constexpr CustomKind kDriverKind{"devmgmtproto.k8s.io", "v1alpha1", "devicedrivers",
                                        "DeviceDriver", false};
inline constexpr CustomKind kClaimKind{"devmgmtproto.k8s.io", "v1alpha1", "deviceclaims",
                                       "DeviceClaim", true};
inline constexpr CustomKind kPrivilegedClaimKind{
    "devmgmtproto.k8s.io", "v1alpha1", "deviceprivilegedclaims", "DevicePrivilegedClaim", true};

using WallTime = std::chrono::system_clock::time_point;

/// Which object in which version.
struct ObjectVersion {
  std::string uid;
  std::string resource_version;
  int64_t generation = 0;
  bool deleting = false;  ///< metadata.deletionTimestamp is set
  friend bool operator==(const ObjectVersion&, const ObjectVersion&) = default;
};

/// What a claim has of a pool, in the pool's status.
struct PoolEntry {
  std::string claim_namespace;
  std::string claim_name;
  std::string claim_uid;
  std::string pod_name;  ///< the pod for which it was written, of that namespace
  std::string pod_uid;
  bool confirmed = false;            ///< Confirmed: claim and binding are written; else Intent
  std::optional<WallTime> deadline;  ///< of an Intent; to the second
  std::string writer;                ///< of an Intent: identity of the process that wrote it
  std::vector<Allocation> holding;   ///< Allocation::pool is the pool
  friend bool operator==(const PoolEntry&, const PoolEntry&) = default;
};

struct PoolObject {
  Pool pool;
  ObjectVersion version;
  std::vector<PoolEntry> entries;  ///< as they stand, of any quality
  std::optional<int64_t> total;    ///< status.totalDevices, freeDevices
  std::optional<int64_t> free;
  friend bool operator==(const PoolObject&, const PoolObject&) = default;
};

struct PodReference {
  std::string name;
  std::string uid;
  friend bool operator==(const PodReference&, const PodReference&) = default;
};

/// An entry of `configs`.
struct ConfigReference {
  std::string api_version;
  std::string kind;
  std::string namespace_;  ///< empty in a claim: that of the claim
  std::string name;
  int request = -1;      ///< of a claim: in which of its requests it is; -1: of the claim
  int alternative = -1;  ///< and in which alternative (Request::details); -1: of the request
  friend bool operator==(const ConfigReference&, const ConfigReference&) = default;
};

/// InvalidArgument: it can be no configuration, whoever names it. The message names it, the field
/// and what is accepted. Thread-safe.
absl::Status CheckConfig(const ConfigReference& config);

enum class ClaimState : uint8_t { kNone, kPending, kAllocated, kInvalid };

/// A DeviceClaim or DevicePrivilegedClaim. What is allocated is Claim::allocations.
struct ClaimObject {
  Claim claim;  ///< its uid is version.uid
  bool privileged = false;
  ObjectVersion version;
  std::string owner_pod_uid;  ///< of the ownerReference of kind Pod; empty: none
  /// `configs` of the claim, then those of its requests and alternatives, in order.
  std::vector<ConfigReference> configs;
  ClaimState state = ClaimState::kNone;
  std::string class_text;  ///< status.class
  std::string node;
  std::string message;
  int64_t observed_generation = 0;
  std::vector<PodReference> pods;
  friend bool operator==(const ClaimObject&, const ClaimObject&) = default;
};

/// Devices are the claim's once its status has them.
inline bool IsAllocated(const ClaimObject& claim) {
  return !claim.claim.allocations.empty();
}

/// What of it no other can have: its allocations without those of admin access. The status alone
/// decides, since spec and classes may have changed since it was written.
std::vector<Allocation> HoldingOf(const ClaimObject& claim);

struct ClassObject {
  Class of;
  ObjectVersion version;
  std::vector<ConfigReference> configs;
  std::optional<bool> ready;  ///< the condition Ready; nothing: not set
  std::string ready_reason;
  std::string ready_message;
  std::optional<WallTime> ready_since;  ///< its lastTransitionTime
  std::vector<std::string> drivers;     ///< status.drivers
  friend bool operator==(const ClassObject&, const ClassObject&) = default;
};

// Read an object from JSON. InvalidArgument names the field and what is accepted; what is only
// wrong as a claim, class or pool (CheckClaim(), CheckClass(), CheckPool()) is no error here, such
// as an unknown field of a claim or class. One of a pool is an error.
absl::StatusOr<PoolObject> ParsePool(std::string_view json);
absl::StatusOr<ClaimObject> ParseClaim(std::string_view json);  ///< of either kind, by `kind`
absl::StatusOr<ClassObject> ParseClass(std::string_view json);
absl::StatusOr<Driver> ParseDriver(std::string_view json);

/// The annotation in which a pod names its claims.
inline constexpr std::string_view kClaimsAnnotation = "devmgmtproto.k8s.io/device-claims";
inline constexpr size_t kMostPodClaims = 32;
inline constexpr size_t kMostAnnotationBytes = 65'536;

/// Why no node will do for a pod that has claims and is a member of a gang.
inline constexpr std::string_view kGangsUnplanned = "gangs with device claims are not planned yet";

/// One claim of a pod.
struct PodClaim {
  std::string name;
  std::string claim_name;     ///< of the object; for an embedded claim EmbeddedClaimName()
  bool privileged = false;    ///< a DevicePrivilegedClaim: "privilegedClaimName"
  std::string embedded_spec;  ///< JSON of the spec; empty: the claim is an object of its own
  friend bool operator==(const PodClaim&, const PodClaim&) = default;
};

/// Reads the annotation (or, from a file, spec.deviceClaims as JSON) of the pod `pod_name`. An
/// empty text has no claims. InvalidArgument names what is wrong, "claims[1].claimName: ...": no
/// JSON, an unknown field, an entry with none or several of claimName, privilegedClaimName and
/// claim, a name twice, one claim twice, a name that is no DNS label, more than kMostPodClaims.
absl::StatusOr<std::vector<PodClaim>> ParsePodClaims(std::string_view text,
                                                     std::string_view pod_name);

/// The DeviceClaim of an embedded claim: "<pod>-<name>", and after a `name` with a '-' its length,
/// "<pod>-<name>.<length>". So no two embedded claims of a namespace have one name: a DNS label has
/// no dot, thus what follows the last '-' shows the form, and where the pod's name ends.
std::string EmbeddedClaimName(std::string_view pod_name, std::string_view name);

/// Why `object`, which has the name of the embedded claim `claim` of the pod with `pod_uid`, is in
/// its way, and what to do; empty: it is the pod's.
std::string EmbeddedClaimConflict(const ClaimObject& object, const PodClaim& claim,
                                  std::string_view pod_uid);

/// The DeviceClaim of an embedded claim, as JSON for CreateCustomObject(): with an ownerReference
/// to the pod (controller, no blocking of its deletion).
std::string EmbeddedClaim(std::string_view pod_namespace, std::string_view pod_name,
                          std::string_view pod_uid, const PodClaim& claim);

struct PoolTotals {
  int64_t total = 0;
  int64_t free = 0;  ///< a device that serves several claims is free while some of it is left
  friend bool operator==(const PoolTotals&, const PoolTotals&) = default;
};
/// What the status of a pool with these entries says of its devices.
PoolTotals TotalsOf(const PoolObject& pool, std::span<const PoolEntry> entries);

/// The status of a pool with these entries, as a patch for PatchCustomStatus(): allocations,
/// totalDevices, freeDevices. availableDevices stays the driver's.
std::string PoolStatusPatch(const PoolObject& pool, std::span<const PoolEntry> entries);

/// What the agent writes of a claim.
struct ClaimStatus {
  ClaimState state = ClaimState::kPending;
  std::string class_text;
  std::string node;
  std::string message;
  int64_t observed_generation = 0;
  std::vector<Allocation> allocations;
  std::vector<PodReference> pods;
  std::vector<std::string> class_configs;  ///< copies of objects, JSON
  std::vector<std::string> claim_configs;
};
/// As a patch for PatchCustomStatus(); deviceStatuses stay the drivers'. Texts that are too long
/// are cut to their bounds.
std::string ClaimStatusPatch(const ClaimStatus& status);
/// The same of `pods` and `message` alone; the rest of the status stays.
std::string ClaimUsePatch(std::span<const PodReference> pods, std::string_view message);
/// The condition Ready (with lastTransitionTime `now`, if it changes) and drivers of a class.
std::string ClassStatusPatch(const ClassObject& of, bool ready, std::string_view reason,
                             std::string_view message, std::span<const std::string> drivers,
                             WallTime now);

/// Names of the classes and types that a claim asks for, for people: "foozer, sriov-nic".
std::string ClassText(const Claim& claim);

}  // namespace outrigger::devices
