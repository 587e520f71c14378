#include "http/server/shared.h"

#include <algorithm>
#include <cstddef>

#include "http/answer/answer.h"

namespace outrigger::http {
namespace {

// Enough for a few calls at once; what is large is few, since the scheduler filters one pod at a
// time. The caps are on memory that lies unused.
constexpr size_t kPooledBuffers = 16;
constexpr size_t kPooledBytes = size_t{128} << 20;

}  // namespace

Shared::Shared(const ServerOptions& server_options)
    : options(server_options),
      limits{.max_body = server_options.max_body},
      bodies(kPooledBuffers, kPooledBytes),
      answers(kPooledBuffers, kPooledBytes),
      memory(std::max(server_options.max_body_memory, server_options.max_body)),
      handshake_log(server_options.warn) {}

Response Shared::Refusal(int status, std::string_view text) const {
  Response response = Failure(status, text);
  if (options.refusal) options.refusal(text, &response);
  return response;
}

void Shared::HandshakeFailed(const std::string& peer, const std::string& why,
                             HandshakeLog::Clock::time_point now) {
  ++handshakes_failed;
  handshake_log.Failed(peer, why, now);
}

}  // namespace outrigger::http
