#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outrigger/agent/call_limits.h"
#include "outrigger/agent/custom_objects.h"
#include "outrigger/devices/objects.h"
#include "outrigger/devices/writer.h"

namespace outrigger::device_writer {

/// Which claim. Views live during the call.
struct ClaimName {
  std::string_view namespace_;
  std::string_view name;
  std::string_view uid;
  bool privileged = false;
};
ClaimName NameOf(const devices::ClaimObject& claim);
/// "claim ns/c".
std::string TextOf(const ClaimName& claim);

/// `chooser` learns that it is gone: no claim of its UID was found.
void Lose(const ClaimName& claim, devices::Chooser* chooser);

/// True if a write with that answer may have happened, or may happen yet.
bool MayHaveHappened(const absl::Status& status);

/// Reads and writes of pools and claims as values. Errors are those of CustomObjectAccess with the
/// object in front. Thread-safe.
class ObjectCalls {
 public:
  ObjectCalls(CustomObjectAccess* api, CallLimits limits)
      : api_(*api), limits_(std::move(limits)) {}

  absl::StatusOr<devices::PoolObject> ReadPool(std::string_view name) const;
  /// Writes all entries, if the pool is still in the version of `at`, and returns it.
  absl::StatusOr<devices::PoolObject> WritePool(
      const devices::PoolObject& at, const std::vector<devices::PoolEntry>& entries) const;
  /// NotFound: it is gone, or another one has its name.
  absl::StatusOr<devices::ClaimObject> ReadClaim(const ClaimName& claim) const;
  /// Writes the patch, if the claim is still in the version of `at`, and returns it.
  absl::StatusOr<devices::ClaimObject> WriteClaim(const devices::ClaimObject& at,
                                                  std::string_view status_patch) const;

  const CallLimits& limits() const { return limits_; }

 private:
  CustomObjectAccess& api_;
  CallLimits limits_;
};

}  // namespace outrigger::device_writer
