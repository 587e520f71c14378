#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/socket/transport.h"

namespace outrigger::testing {

/// A peer that sends given bytes in given pieces, and nothing between two of them: after each piece
/// a read finds nothing once. For tests and fuzzers of what reads a transport.
class ScriptedTransport final : public http::Transport {
 public:
  /// `ends`: the peer closes behind the last piece; else it stays silent.
  ScriptedTransport(std::vector<std::string_view> pieces, bool ends)
      : pieces_(std::move(pieces)), ends_(ends) {}

  http::Moved Handshake() override { return {http::Moved::How::kBytes, 0}; }
  http::Moved Read(char* to, size_t size) override {
    if (at_ == pieces_.size()) {
      return {ends_ ? http::Moved::How::kEnd : http::Moved::How::kWouldRead, 0};
    }
    std::string_view& piece = pieces_[at_];
    if (piece.empty()) {
      ++at_;
      return {http::Moved::How::kWouldRead, 0};
    }
    const size_t taken = std::min(size, piece.size());
    std::memcpy(to, piece.data(), taken);
    piece.remove_prefix(taken);
    return {http::Moved::How::kBytes, taken};
  }
  http::Moved Write(std::span<const std::string_view> parts) override {
    size_t size = 0;
    for (const std::string_view part : parts) {
      written_.append(part);
      size += part.size();
    }
    return {http::Moved::How::kBytes, size};
  }
  void EndWriting() override {}

  /// All has been read, and the peer is silent or gone.
  bool exhausted() const { return at_ == pieces_.size(); }
  const std::string& written() const { return written_; }

 private:
  std::vector<std::string_view> pieces_;
  const bool ends_;
  size_t at_ = 0;
  std::string written_;
};

}  // namespace outrigger::testing
