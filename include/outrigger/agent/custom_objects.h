#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outrigger/agent/call_limits.h"

// Objects of kinds that the program does not know: those of CustomResourceDefinitions. The agent
// gets them as JSON.

namespace outrigger {

/// A kind of objects, as the API server's paths name it.
struct CustomKind {
  std::string_view group;    // "devmgmtproto.k8s.io"; static
  std::string_view version;  // "v1alpha1"
  std::string_view plural;   // "devicepools"
  std::string_view kind;     // "DevicePool"
  bool namespaced = false;
};

/// Identifies an object. With a `uid` or a `resource_version`, a write applies to that object or
/// that version only; with both, the version decides, since it belongs to one object only. Views
/// live during the call.
struct CustomObjectName {
  std::string_view namespace_ = {};  // empty for kinds without
  std::string_view name;
  std::string_view uid = {};
  std::string_view resource_version = {};
};

/// Receives the objects of a watched kind. Called by one thread at a time; each kind has its own
/// thread. A call must neither write objects of the kind nor end the watch.
class CustomObjectSink {
 public:
  virtual ~CustomObjectSink() = default;
  /// The object has come or changed: `json` is the whole object, valid during the call; `object`
  /// has its version and no UID. An error means that the object could not be read; it is logged,
  /// and the object keeps its previous state.
  virtual absl::Status Upsert(const CustomObjectName& object, std::string_view json) = 0;
  /// The object is gone; no effect if it is not known. `object` has no UID; its version is that of
  /// the deletion, or of the list that lacks it.
  virtual void Remove(const CustomObjectName& object) = 0;
  /// Brackets around a full list. Between them come Upsert() for every existing object, in any
  /// order of versions, and Remove() for every object that no longer exists. An interrupted list
  /// has no EndReplace(); another list follows. `version` is the list's, empty if the kind is not
  /// served; the sink then has the state of that version. Outside of the brackets calls come in the
  /// order of versions, so that after each call the sink is complete up to its version.
  virtual void BeginReplace() {}
  virtual void EndReplace(std::string_view /*version*/) {}
};

/// Watches a kind as long as it lives; it must end before its sink. Thread-safe.
class FollowedKind {
 public:
  virtual ~FollowedKind() = default;
  /// Ok: the sink is no older than the program's --max-staleness. Unavailable: not listed yet, or
  /// too old; the message names the kind and the cause and stays the same meanwhile. NotFound: the
  /// API server does not serve the kind (its definition is not applied); the sink is then empty,
  /// and discovery is repeated.
  virtual absl::Status Usable() const = 0;
};

/// Watches and writes custom objects. Thread-safe; calls block and are not subject to the client's
/// rate limit. Errors: those of PriorityClassAccess, and NotFound: no such object, or no such kind,
/// with the message of FollowedKind::Usable().
class CustomObjectAccess {
 public:
  virtual ~CustomObjectAccess() = default;

  /// Starts to watch all objects of the kind in the background. `sink` outlives the returned
  /// object.
  virtual std::unique_ptr<FollowedKind> Follow(const CustomKind& kind, CustomObjectSink* sink) = 0;

  /// Returns the object as the API server has it now, as JSON.
  virtual absl::StatusOr<std::string> ReadCustomObject(const CustomKind& kind,
                                                       const CustomObjectName& object,
                                                       const CallLimits& limits) = 0;
  /// Creates the object in `json`, and returns it as the API server stored it. Never retried.
  /// AlreadyExists: the name is in use. InvalidArgument: the API server rejects it.
  virtual absl::StatusOr<std::string> CreateCustomObject(const CustomKind& kind,
                                                         std::string_view namespace_,
                                                         std::string_view json,
                                                         const CallLimits& limits) = 0;
  /// Changes `status` by a JSON merge patch (RFC 7396): the fields of `status_patch` replace those
  /// of the status, null removes a field, all other fields stay. Returns the object afterwards.
  /// Never retried: after Unavailable, DeadlineExceeded or Internal it may have succeeded; read the
  /// object to find out. Aborted: another version, or another UID; nothing was written. A patch
  /// that changes nothing does not change the version either.
  virtual absl::StatusOr<std::string> PatchCustomStatus(const CustomKind& kind,
                                                        const CustomObjectName& object,
                                                        std::string_view status_patch,
                                                        const CallLimits& limits) = 0;
};

}  // namespace outrigger
