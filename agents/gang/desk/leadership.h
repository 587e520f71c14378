#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
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

/// Whether this process may act on its plans: of several replicas one does. How that is decided is
/// the implementation's: for a scheduler's extender by the Lease of that scheduler, and where no
/// scheduler calls by a Lease for which the replicas stand. Thread-safe after Start().
class Leadership {
 public:
  virtual ~Leadership() = default;

  /// Begins to follow which is in charge; until then no replica is. InvalidArgument: the Lease
  /// cannot be stood for. Stop() ends that, waits for writes that are under way, which it cuts
  /// short, and gives back what is held. It may be called without Start(), and again.
  virtual absl::Status Start() = 0;
  virtual void Stop() = 0;

  /// Ok if in charge, as last seen; else Unavailable, in words that stay the same and name the one
  /// that is. Makes no call.
  virtual absl::Status Now() const = 0;
  /// Another text for each time for which what was learnt before does not count any more: another
  /// instance of the scheduler, or another term of this process. Empty: never in charge yet.
  virtual std::string Epoch() const = 0;
  /// Leave for one write, if in charge by Now(), whose error is returned else: to be asked before
  /// each. Makes no call.
  virtual absl::StatusOr<WritePermit> MayWrite(const CallLimits& limits) = 0;
  /// The same as Now(), as sure as it can be made: to be asked before each act. May make a call.
  virtual absl::Status Ask(const CallLimits& limits) = 0;
  /// Whether another replica acts, as last seen. Not so while none does, or that is not known.
  virtual bool IsHeldByAnother() const = 0;
};

}  // namespace outrigger::desk
