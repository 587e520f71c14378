#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outrigger/agent/call_limits.h"

// Objects of kinds that the program does not know: those of CustomResourceDefinitions. They are
// JSON here, which the agent reads.

namespace outrigger {

/// A kind of objects, as the API server's paths name it.
struct CustomKind {
  std::string_view group;    // "devmgmtproto.k8s.io"; static
  std::string_view version;  // "v1alpha1"
  std::string_view plural;   // "devicepools"
  std::string_view kind;     // "DevicePool"
  bool namespaced = false;
};

/// An object, or which one is meant. With a `uid` or a `resource_version` a write is done to that
/// object or that version only; with both it is the version that decides, since it is of one object
/// only. Views live during the call.
struct CustomObjectName {
  std::string_view namespace_ = {};  // empty for kinds without
  std::string_view name;
  std::string_view uid = {};
  std::string_view resource_version = {};
};

/// Where the objects of a kind go that is followed. Called by one thread at a time, which is that
/// of no other kind. Must neither write objects of the kind nor end what follows it from a call.
class CustomObjectSink {
 public:
  virtual ~CustomObjectSink() = default;
  /// The object has come or changed: `json` is the whole object, valid during the call; `object`
  /// has its version and no UID. An error says that it could not be read; it is logged, and what
  /// was known of the object stays.
  virtual absl::Status Upsert(const CustomObjectName& object, std::string_view json) = 0;
  /// The object is gone; no effect if it is not known. `object` has no UID; its version is that of
  /// the deletion, or of the list that lacks it.
  virtual void Remove(const CustomObjectName& object) = 0;
  /// Brackets around a full list. Between them come Upsert() for all that is there, in any order of
  /// versions, and Remove() for what is there no more. A list that breaks off has no EndReplace();
  /// another one follows. `version` is the list's, empty where the kind is not served: what was
  /// shown is the state of that version. Outside of the brackets calls come in the order of
  /// versions, so that after each of them all is shown up to its version.
  virtual void BeginReplace() {}
  virtual void EndReplace(std::string_view /*version*/) {}
};

/// A kind that is followed, as long as this lives; it must end before its sink. Thread-safe.
class FollowedKind {
 public:
  virtual ~FollowedKind() = default;
  /// Ok: what the sink has is as new as the program's --max-staleness. Unavailable: not known yet,
  /// or too old; the text names the kind and the cause and stays the same while that is so.
  /// NotFound: the API server does not serve the kind (its definition is not applied); the sink
  /// has nothing then, and it is looked again.
  virtual absl::Status Usable() const = 0;
};

/// Follows and changes custom objects. Thread-safe; calls block, and go past the client's rate
/// limit. Errors: those of PriorityClassAccess, and NotFound: no such object, or no such kind,
/// whose text is that of FollowedKind::Usable().
class CustomObjectAccess {
 public:
  virtual ~CustomObjectAccess() = default;

  /// Begins to follow all objects of the kind in the background. `sink` outlives what is returned.
  virtual std::unique_ptr<FollowedKind> Follow(const CustomKind& kind, CustomObjectSink* sink) = 0;

  /// Returns the object as the API server has it now, as JSON.
  virtual absl::StatusOr<std::string> ReadCustomObject(const CustomKind& kind,
                                                       const CustomObjectName& object,
                                                       const CallLimits& limits) = 0;
  /// Creates the object that `json` is, and returns it as the API server made it. Sent once only.
  /// AlreadyExists: there is one of that name. InvalidArgument: the API server refuses it.
  virtual absl::StatusOr<std::string> CreateCustomObject(const CustomKind& kind,
                                                         std::string_view namespace_,
                                                         std::string_view json,
                                                         const CallLimits& limits) = 0;
  /// Changes `status` by a JSON merge patch (RFC 7396): `status_patch` is an object whose fields
  /// replace those of the status; null removes one, and what it does not name stays. Returns the
  /// object afterwards. Sent once only: an Unavailable, DeadlineExceeded or Internal may have been
  /// a success, which only a read tells. Aborted: another version, or another UID; nothing was
  /// written. A patch that changes nothing does not change the version either.
  virtual absl::StatusOr<std::string> PatchCustomStatus(const CustomKind& kind,
                                                        const CustomObjectName& object,
                                                        std::string_view status_patch,
                                                        const CallLimits& limits) = 0;
};

}  // namespace outrigger
