#pragma once

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "outrigger/agent/call_limits.h"

namespace outrigger::desk {

/// Leave to write once, for a process that is in charge. Where the replicas stand for a Lease of
/// their own, whoever follows does not begin before all of them are gone: it is kept for as long as
/// the write takes, and no longer.
struct WritePermit {
  CallLimits limits;                          ///< the write's: it ends with the term at the latest
  std::shared_ptr<void> under_way = nullptr;  ///< what keeps the next one waiting; may be null
};

/// Asked before each write of at most `limits`; makes no call. Unavailable: this process is not in
/// charge. Null: it always is.
using MayWrite = std::function<absl::StatusOr<WritePermit>(const CallLimits& limits)>;

inline absl::StatusOr<WritePermit> AskToWrite(const MayWrite& may_write, const CallLimits& limits) {
  if (may_write) return may_write(limits);
  return WritePermit{.limits = limits};
}

}  // namespace outrigger::desk
