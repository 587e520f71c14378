#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "devices/writer/attempt_scope.h"
#include "devices/writer/commit.h"
#include "devices/writer/intents.h"
#include "devices/writer/object_calls.h"
#include "devices/writer/writer.h"

namespace outrigger::device_writer {

/// One try to write allocations for a pod, on claims in fixed versions. Once a claim turns out to
/// be in another version it has failed: what was read before an intent was written is what makes a
/// fence work. Not thread-safe.
class Attempt {
 public:
  /// All outlive it.
  Attempt(const devices::PodOnNode& pod, const std::vector<ClaimObject>& claims,
          const ObjectCalls* calls, const devices::WriterOptions* options,
          devices::Chooser* chooser);
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  /// Writes intents and claims. After an error everything is given back, as far as that succeeds.
  absl::Status Run();
  /// After an error: the claim or pool that is another one now, so that another attempt makes
  /// sense; else empty.
  const std::string& changed() const { return scope_.changed; }
  /// After success.
  devices::Written TakeWritten();

 private:
  absl::Status CheckClaims() const;
  absl::Status CheckPools();
  void GiveBack();

  AttemptScope scope_;
  std::vector<Part> parts_;
  Intents intents_;
  Commit commit_;
};

}  // namespace outrigger::device_writer
