#include "http/client/socket_guard.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace outrigger::http_client {

SocketGuard::~SocketGuard() {
  const MutexLock lock(mutex_);
  if (socket_ >= 0) ::close(socket_);
}

void SocketGuard::Watch(int socket) {
  const MutexLock lock(mutex_);
  if (socket_ >= 0) ::close(socket_);
  socket_ = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
}

void SocketGuard::Shutdown() {
  const MutexLock lock(mutex_);
  if (socket_ >= 0) ::shutdown(socket_, SHUT_RDWR);
}

}  // namespace outrigger::http_client
