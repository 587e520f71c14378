#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "http/fd.h"

namespace outrigger::http {

/// How one attempt to move bytes ended.
struct Moved {
  enum class How {
    kBytes,       // `bytes` of them, at least one
    kWouldRead,   // nothing now: wait until the socket is readable
    kWouldWrite,  // nothing now: wait until it is writable
    kEnd,         // the peer will send nothing more
    kFailed,      // of no further use
  };
  How how = How::kFailed;
  size_t bytes = 0;
};

/// The bytes of one connection, in clear or through TLS. Never blocks. Used by one thread at a
/// time.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Asked again until it says kBytes; at once if there is nothing to shake hands about. kEnd: the
  /// peer has gone without having sent a byte.
  virtual Moved Handshake() = 0;
  /// Why Handshake() said kFailed: words of this program or of OpenSSL, never bytes of the peer.
  virtual std::string HandshakeFailure() const { return ""; }
  virtual Moved Read(char* to, size_t size) = 0;
  /// Takes some bytes of `parts`, one after the other, in one packet where they fit. After
  /// kWouldRead or kWouldWrite it has to be asked again with the same bytes.
  virtual Moved Write(std::span<const std::string_view> parts) = 0;
  /// Says that nothing more will be written.
  virtual void EndWriting() = 0;
};

/// In clear. `socket` is non-blocking, and outlives the transport.
std::unique_ptr<Transport> MakePlainTransport(const Fd& socket);

/// The peer's address without the port, e.g. "127.0.0.1" or "::1"; empty when unknown.
std::string PeerOf(const Fd& socket);

}  // namespace outrigger::http
