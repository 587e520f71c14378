#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "devices/objects/objects.h"
#include "devices/writer/writer.h"
#include "outrigger/agent/call_budget.h"
#include "outrigger/agent/call_limits.h"
#include "outrigger/agent/custom_objects.h"
#include "outrigger/base/clock.h"

namespace outrigger::device_writer {

/// Which claim; without a UID: whichever has the name. Views live during the call.
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

/// Reads and writes of pools and claims as values. The timeout of `limits` is for all calls
/// together, from now on. Errors are those of CustomObjectAccess with the object in front;
/// ResourceExhausted, too: that time is over, and the call was not made. Thread-safe.
class ObjectCalls {
 public:
  ObjectCalls(CustomObjectAccess* api, CallLimits limits,
              SteadyNow now = std::chrono::steady_clock::now)
      : ObjectCalls(api, CallBudget(std::move(limits), std::move(now))) {}
  ObjectCalls(CustomObjectAccess* api, CallBudget budget)
      : api_(*api), budget_(std::move(budget)) {}

  /// The same calls, with another time from now on.
  ObjectCalls Within(std::chrono::milliseconds timeout) const {
    return {&api_, budget_.Within(timeout)};
  }

  absl::StatusOr<devices::PoolObject> ReadPool(std::string_view name) const;
  /// Writes all entries, if the pool is still in the version of `at`, and returns it.
  absl::StatusOr<devices::PoolObject> WritePool(
      const devices::PoolObject& at, const std::vector<devices::PoolEntry>& entries) const;
  /// NotFound: it is gone, or another one has its name.
  absl::StatusOr<devices::ClaimObject> ReadClaim(const ClaimName& claim) const;
  /// Writes the patch, if the claim is still in the version of `at`, and returns it.
  absl::StatusOr<devices::ClaimObject> WriteClaim(const devices::ClaimObject& at,
                                                  std::string_view status_patch) const;

  /// With the time that is left, which may be none.
  CallLimits limits() const { return budget_.Left(); }

 private:
  /// The same, or ResourceExhausted.
  absl::StatusOr<CallLimits> Left() const;

  CustomObjectAccess& api_;
  CallBudget budget_;
};

}  // namespace outrigger::device_writer
