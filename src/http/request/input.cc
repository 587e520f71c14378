#include "http/request/input.h"

#include <cstring>
#include <utility>

namespace outrigger::http {

void Input::Reserve(const ReaderLimits& limits) {
  const size_t room = end_ - begin_ < limits.first_read / 2 ? limits.first_read : limits.max_head;
  buffer_.Reserve(room + kBodyPadding, end_);
}

Moved Input::Receive(Transport& transport) {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
  }
  return ReceiveInPlace(transport, buffer_.capacity() - kBodyPadding - end_);
}

Moved Input::ReceiveInPlace(Transport& transport, size_t size) {
  const Moved moved = transport.Read(buffer_.data() + end_, size);
  if (moved.how == Moved::How::kBytes) end_ += moved.bytes;
  return moved;
}

/// What lies behind belongs to the next request and has to survive the padding.
char* Input::TakePadded(size_t length) {
  const size_t behind = end_ - begin_ - length;
  if (behind > 0) {
    buffer_.Reserve(end_ + 2 * kBodyPadding, end_);
    char* const next = buffer_.data() + begin_ + length;
    std::memmove(next + kBodyPadding, next, behind);
  }
  char* const taken = buffer_.data() + begin_;
  std::memset(taken + length, 0, kBodyPadding);
  begin_ += length + (behind > 0 ? kBodyPadding : 0);
  end_ = begin_ + behind;
  return taken;
}

void Input::Trim() {
  if (!empty()) return;
  buffer_ = Buffer();
  begin_ = end_ = 0;
}

}  // namespace outrigger::http
