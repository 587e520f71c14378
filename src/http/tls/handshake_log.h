#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>

#include "outrigger/base/mutex.h"

namespace outrigger::http {

/// Warns of TLS handshakes that failed: at most a line per address of a peer and minute, in bounded
/// memory. Thread-safe.
class HandshakeLog {
 public:
  using Clock = std::chrono::steady_clock;
  /// Addresses that are told apart; what further ones do within the minute shares a line.
  static constexpr size_t kMostPeers = 256;
  static constexpr std::chrono::minutes kQuiet{1};

  /// `warn` gets the lines, on the thread that calls Failed(); may be null.
  explicit HandshakeLog(std::function<void(const std::string&)> warn);

  /// A handshake with `peer` failed for a reason that ends the line: "the peer hung up".
  void Failed(const std::string& peer, const std::string& why, Clock::time_point now);

 private:
  bool TakeTurn(const std::string& peer, Clock::time_point now);

  const std::function<void(const std::string&)> warn_;
  Mutex mutex_;
  std::unordered_map<std::string, Clock::time_point> told_ ABSL_GUARDED_BY(mutex_);  // by peer
  std::optional<Clock::time_point> others_told_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::http
