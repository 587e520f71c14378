#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stop_token>

#include "outrigger/agent/call_limits.h"
#include "outrigger/desk/write_permit.h"

namespace outrigger::desk {

/// The writes of this process that are under way in a term of it. Thread-safe; outlives them.
class TermWrites {
 public:
  /// One that takes `limits`, and ends with `term`, too.
  WritePermit Begin(const CallLimits& limits, const std::stop_token& term);
  /// Returns when none is under way. None may begin any more.
  void AwaitNone();

 private:
  class Write;

  std::mutex mutex_;
  std::condition_variable ended_;
  size_t under_way_ = 0;  // guarded by mutex_
};

}  // namespace outrigger::desk
