#include "http/stream.h"

#include <utility>

namespace outrigger::http {

void Stream::Wake() {
  if (wake_) wake_();
}

void Stream::Write(Bytes bytes) {
  const MutexLock lock(mutex_);
  if (closed_ || ended_ || bytes->empty()) return;
  backlog_ += bytes->size() + kPerWrite;
  if (backlog_ > max_backlog_) {
    waiting_.clear();
    closed_ = true;
    Wake();
    return;
  }
  waiting_.push_back(std::move(bytes));
  if (std::exchange(reader_waits_, false)) Wake();
}

size_t Stream::backlog() const {
  const MutexLock lock(mutex_);
  return backlog_;
}

void Stream::End() {
  const MutexLock lock(mutex_);
  ended_ = true;
  if (std::exchange(reader_waits_, false)) Wake();
}

bool Stream::closed() const {
  const MutexLock lock(mutex_);
  return closed_;
}

void Stream::OnClosed(std::function<void()> callback) {
  {
    const MutexLock lock(mutex_);
    if (!over_) {
      on_closed_ = std::move(callback);
      return;
    }
  }
  if (callback) callback();
}

Stream::State Stream::Take(size_t size, std::vector<Bytes>* pieces) {
  const MutexLock lock(mutex_);
  if (closed_) return State::kClosed;
  size_t taken = 0;
  while (!waiting_.empty() && taken < size) {
    taken += waiting_.front()->size();
    backlog_ -= waiting_.front()->size() + kPerWrite;
    pieces->push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  if (ended_ && waiting_.empty()) return State::kEnded;
  reader_waits_ = taken == 0;
  return State::kOpen;
}

void Stream::SetWake(std::function<void()> wake) {
  const MutexLock lock(mutex_);
  wake_ = std::move(wake);
}

void Stream::Close() {
  std::function<void()> callback;
  {
    const MutexLock lock(mutex_);
    closed_ = over_ = true;
    waiting_.clear();
    wake_ = nullptr;
    callback = std::exchange(on_closed_, nullptr);
  }
  if (callback) callback();
}

}  // namespace outrigger::http
