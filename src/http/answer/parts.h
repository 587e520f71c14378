#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "http/socket/transport.h"

namespace outrigger::http {

/// Bytes on their way to a peer, piece by piece; they live elsewhere. Not thread-safe.
class Parts {
 public:
  void Add(std::string_view part) {
    if (!part.empty()) parts_.push_back(part);
  }
  void Clear() {
    parts_.clear();
    next_ = 0;
  }
  /// Writes until all is written, which is kBytes, or the peer takes nothing now, or never again.
  /// Adds to `sent` what was taken.
  Moved Write(Transport& transport, size_t* sent) {
    while (next_ < parts_.size()) {
      const Moved moved = transport.Write(std::span(parts_).subspan(next_));
      if (moved.how != Moved::How::kBytes) return moved;
      *sent += moved.bytes;
      Written(moved.bytes);
    }
    return {Moved::How::kBytes, 0};
  }

 private:
  void Written(size_t bytes) {
    while (next_ < parts_.size() && bytes >= parts_[next_].size()) bytes -= parts_[next_++].size();
    if (next_ < parts_.size()) parts_[next_].remove_prefix(bytes);
  }

  std::vector<std::string_view> parts_;
  size_t next_ = 0;  // the first of them that is not written
};

}  // namespace outrigger::http
