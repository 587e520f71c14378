#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "devices/writer/intents.h"
#include "devices/writer/object_calls.h"
#include "devices/writer/writer.h"

namespace outrigger::device_writer {

/// Step 2 of an attempt: the claims. Not thread-safe.
class Commit {
 public:
  /// `scope` outlives it.
  explicit Commit(AttemptScope* scope) : scope_(*scope) {}

  /// Writes each claim, as long as CheckTime() allows.
  absl::Status Write(std::vector<Part>* parts);
  /// DeadlineExceeded: of the intents' time too little is left for the binding.
  absl::Status CheckTime() const;
  /// After an error: it is not known whether a claim was written.
  bool is_unknown() const { return is_unknown_; }

 private:
  absl::Status WriteClaim(Part* part);
  absl::Status Take(ClaimObject claim, Part* part);
  std::string PatchOf(const Part& part) const;
  bool IsWritten(const Part& part, const ClaimObject& live) const;
  absl::Status GiveUpLostWrite(const absl::Status& last, Part* part);

  AttemptScope& scope_;
  bool is_unknown_ = false;
};

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
