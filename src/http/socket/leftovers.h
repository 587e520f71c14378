#pragma once

#include <cstddef>

namespace outrigger::http {

/// What a peer still sends behind a refusal. Closing a socket with unread bytes resets it, and the
/// peer may lose the answer: so they are read, up to a limit, and thrown away. Not thread-safe.
class Leftovers {
 public:
  /// Throws away what has come on `socket`, which does not block. True if more may come; false when
  /// the peer has ended, or has sent more than anybody reads.
  bool Discard(int socket);

 private:
  size_t discarded_ = 0;
};

}  // namespace outrigger::http
