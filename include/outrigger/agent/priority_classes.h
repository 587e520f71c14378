#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outrigger/agent/call_limits.h"
#include "outrigger/k8s/priority_class.h"

namespace outrigger {

/// What a new PriorityClass is made of.
struct NewPriorityClass {
  /// PriorityClass::manifest of the class that it replaces, or of an earlier one. Fields that the
  /// API server sets (UID, version, times, managed fields) are left out.
  std::string_view manifest;
  int32_t value = 0;      // in place of the manifest's
  StringMap annotations;  // in place of the manifest's, all of them
};

/// What a pod becomes when it is admitted.
struct AdmittedPod {
  std::string priority_class_name;  // differs from the pod's own if a policy mapped it
  int32_t priority = 0;
};

/// Reads, deletes and creates PriorityClasses. Their value is immutable: to change it, an agent
/// deletes the class and creates it again with the same name.
///
/// Thread-safe; calls block, are not subject to the client's rate limit, and are never retried: if
/// a response is lost, the caller must find out whether the call succeeded. Errors: those of a
/// connection (Unavailable, DeadlineExceeded, Cancelled: the call may have taken effect, or may do
/// so later), Internal (500; the same holds), PermissionDenied, ResourceExhausted (429),
/// InvalidArgument (rejected by the API server or by admission), and those at the calls.
class PriorityClassAccess {
 public:
  virtual ~PriorityClassAccess() = default;

  /// Returns the class as the API server has it now, with its manifest. NotFound.
  virtual absl::StatusOr<PriorityClass> ReadPriorityClass(std::string_view name,
                                                          const CallLimits& limits) = 0;
  /// Returns the class that a manifest describes; makes no call. InvalidArgument: it is none.
  virtual absl::StatusOr<PriorityClass> ParsePriorityClass(std::string_view manifest) const = 0;
  /// Creates a class. AlreadyExists: the name is in use.
  virtual absl::StatusOr<PriorityClass> CreatePriorityClass(const NewPriorityClass& made,
                                                            const CallLimits& limits) = 0;
  /// Asks the API server, admission included, whether it would create that class; nothing is
  /// created. Ok: it would, also if a class of that name exists.
  virtual absl::Status TryCreatePriorityClass(const NewPriorityClass& made,
                                              const CallLimits& limits) = 0;
  /// Deletes the class of that UID in that version, with Background propagation. NotFound; Aborted:
  /// it was replaced or has changed. A class with finalizers stays, marked as deleted.
  virtual absl::Status DeletePriorityClass(std::string_view name, std::string_view uid,
                                           std::string_view resource_version,
                                           const CallLimits& limits) = 0;
  /// Returns true if the owner exists with that UID; false if the API server does not serve its
  /// kind. PermissionDenied: unknown.
  virtual absl::StatusOr<bool> OwnerExists(const OwnerReference& owner,
                                           const CallLimits& limits) = 0;
  /// Returns what the API server, admission included, makes of a pod with that class; no pod is
  /// created. NotFound: the API server does not have the class, or has not seen it yet.
  virtual absl::StatusOr<AdmittedPod> TryPod(std::string_view namespace_,
                                             std::string_view class_name,
                                             const CallLimits& limits) = 0;
};

}  // namespace outrigger
