#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "devices/writer/attempt_scope.h"

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

}  // namespace outrigger::device_writer
