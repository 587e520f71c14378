#include "http/socket/leftovers.h"

#include <sys/socket.h>

#include <cerrno>
#include <vector>

namespace outrigger::http {
namespace {

constexpr size_t kMostBytes = size_t{64} << 20;
constexpr size_t kBytesAtOnce = size_t{64} << 10;

}  // namespace

bool Leftovers::Discard(int socket) {
  std::vector<char> space(kBytesAtOnce);
  while (discarded_ < kMostBytes) {
    // Not by the transport: what is thrown away need not be decrypted, and may not be decryptable.
    const ssize_t read = ::recv(socket, space.data(), space.size(), 0);
    if (read > 0) {
      discarded_ += static_cast<size_t>(read);
    } else if (read < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return true;
    } else if (read == 0 || errno != EINTR) {
      return false;
    }
  }
  return false;
}

}  // namespace outrigger::http
