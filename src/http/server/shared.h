#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/pool.h"
#include "http/request/parser.h"
#include "http/server.h"
#include "http/tls/handshake_log.h"

namespace outrigger::http {

/// What all connections of a server share. Thread-safe.
struct Shared {
  explicit Shared(const ServerOptions& server_options);

  /// Counts it, and says it; see HandshakeLog.
  void HandshakeFailed(const std::string& peer, const std::string& why,
                       HandshakeLog::Clock::time_point now);

  /// An answer of the transport's own, in the words of the options; `text` needs no escapes.
  Response Refusal(int status, std::string_view text) const;

  const ServerOptions options;
  const ReaderLimits limits;
  Pool<Buffer> bodies;
  Pool<std::string> answers;
  Budget memory;
  HandshakeLog handshake_log;
  std::atomic<bool> draining{false};
  std::atomic<uint64_t> handshakes_failed{0};
  std::atomic<uint64_t> refused{0};
  std::atomic<uint64_t> abandoned{0};
  std::atomic<size_t> streams{0};
};

}  // namespace outrigger::http
