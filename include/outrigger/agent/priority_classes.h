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
  /// PriorityClass::manifest of the class that it takes the place of, or of an earlier one. What
  /// the API server sets by itself (UID, version, times, managed fields) is left out.
  std::string_view manifest;
  int32_t value = 0;      // in place of the manifest's
  StringMap annotations;  // in place of the manifest's, all of them
};

/// What a pod becomes when it is admitted.
struct AdmittedPod {
  std::string priority_class_name;  // another one than it named, if a policy has mapped it
  int32_t priority = 0;
};

/// Reads, deletes and creates PriorityClasses, whose value is immutable: an agent that wants
/// another one makes the class again under its name.
///
/// Thread-safe; calls block, go past the client's rate limit, and are sent once only: whether a
/// lost answer was a success is the caller's question. Errors: those of a connection (Unavailable,
/// DeadlineExceeded, Cancelled: what was asked for may have happened, or may happen yet), Internal
/// (500; the same holds), PermissionDenied, ResourceExhausted (429), InvalidArgument (what the API
/// server or its admission refuses as wrong), and those at the calls.
class PriorityClassAccess {
 public:
  virtual ~PriorityClassAccess() = default;

  /// Returns the class as the API server has it now, with its manifest. NotFound.
  virtual absl::StatusOr<PriorityClass> ReadPriorityClass(std::string_view name,
                                                          const CallLimits& limits) = 0;
  /// Returns the class that a manifest describes; makes no call. InvalidArgument: it is none.
  virtual absl::StatusOr<PriorityClass> ParsePriorityClass(std::string_view manifest) const = 0;
  /// Creates a class. AlreadyExists: there is one of that name.
  virtual absl::StatusOr<PriorityClass> CreatePriorityClass(const NewPriorityClass& made,
                                                            const CallLimits& limits) = 0;
  /// Asks the API server, admission included, whether it would create that class; nothing is
  /// created. Ok: it would, also where a class of that name is there.
  virtual absl::Status TryCreatePriorityClass(const NewPriorityClass& made,
                                              const CallLimits& limits) = 0;
  /// Deletes the class of that UID in that version, with Background propagation. NotFound; Aborted:
  /// it is another one, or has changed. A class with finalizers stays, marked as deleted.
  virtual absl::Status DeletePriorityClass(std::string_view name, std::string_view uid,
                                           std::string_view resource_version,
                                           const CallLimits& limits) = 0;
  /// Returns whether the owner is there, with that UID. A kind that the API server does not serve
  /// is not there. PermissionDenied: that cannot be seen.
  virtual absl::StatusOr<bool> OwnerExists(const OwnerReference& owner,
                                           const CallLimits& limits) = 0;
  /// Asks the API server, admission included, what a pod becomes that names that class; no pod is
  /// created. NotFound: the API server does not have the class, or does not know of it yet.
  virtual absl::StatusOr<AdmittedPod> TryPod(std::string_view namespace_,
                                             std::string_view class_name,
                                             const CallLimits& limits) = 0;
};

}  // namespace outrigger
