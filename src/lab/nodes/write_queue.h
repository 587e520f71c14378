#pragma once

#include <memory>

#include "lab/framework/timers.h"
#include "lab/framework/workers.h"
#include "outrigger/base/mutex.h"

namespace outrigger::lab {

/// Somebody who has something to write, now and then.
class QueuedWriter {
 public:
  virtual ~QueuedWriter() = default;
  /// Writes all that is due. False: it did not work, and is to be tried again later. Called by one
  /// thread at a time.
  virtual bool Write() = 0;

 private:
  friend class WriteQueue;
  enum class State { kIdle, kQueued, kWriting, kAgain };
  State state_ = State::kIdle;  // guarded by the queue's mutex, as is the next
  int failures_ = 0;            // in a row
};

/// Lets writers write. Each is in the queue once at most, so it never holds more than there are
/// writers, and what one has to write is as new as can be when its turn comes. Thread-safe.
class WriteQueue {
 public:
  /// Both outlive the queue, as of which nothing may run any more at its end.
  WriteQueue(Executor* executor, ScopedTimers* timers) : executor_(*executor), timers_(*timers) {}
  WriteQueue(const WriteQueue&) = delete;
  WriteQueue& operator=(const WriteQueue&) = delete;

  /// `writer` has something to write. Its Write() begins later than this call, if need be once
  /// more.
  void Add(const std::shared_ptr<QueuedWriter>& writer);

 private:
  void Run(const std::shared_ptr<QueuedWriter>& writer);

  Executor& executor_;
  ScopedTimers& timers_;
  Mutex mutex_;
};

}  // namespace outrigger::lab
