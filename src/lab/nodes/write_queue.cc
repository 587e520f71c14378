#include "lab/nodes/write_queue.h"

#include <algorithm>
#include <chrono>

namespace outrigger::lab {
namespace {

constexpr std::chrono::seconds kFirstRetry{1};
constexpr int kMostDoublings = 5;  // 32 s

}  // namespace

void WriteQueue::Add(const std::shared_ptr<QueuedWriter>& writer) {
  using State = QueuedWriter::State;
  {
    const MutexLock lock(mutex_);
    if (writer->state_ == State::kWriting) writer->state_ = State::kAgain;
    if (writer->state_ != State::kIdle) return;
    writer->state_ = State::kQueued;
  }
  executor_.Run([this, writer] { Run(writer); });
}

void WriteQueue::Run(const std::shared_ptr<QueuedWriter>& writer) {
  using State = QueuedWriter::State;
  {
    const MutexLock lock(mutex_);
    writer->state_ = State::kWriting;
  }
  const bool done = writer->Write();
  bool again = false;
  Clock::Duration retry{0};
  {
    const MutexLock lock(mutex_);
    again = writer->state_ == State::kAgain && done;
    writer->state_ = State::kIdle;
    writer->failures_ = done ? 0 : std::min(writer->failures_ + 1, kMostDoublings + 1);
    retry = kFirstRetry * (1 << std::max(writer->failures_ - 1, 0));
  }
  if (again) return Add(writer);
  if (!done) timers_.After(retry, [this, writer] { Add(writer); });
}

}  // namespace outrigger::lab
