#include "commands.h"

#include <csignal>

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>

namespace outrigger::kube_actor {

Commands::Commands() {
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  signals_ = signalfd(-1, &ending, SFD_CLOEXEC);
}

Commands::~Commands() {
  close(signals_);
}

std::optional<std::string> Commands::Next() {
  for (;;) {
    const size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    if (!Fill()) return std::nullopt;
  }
}

/// Waits for more input; false if there will be none.
bool Commands::Fill() {
  std::array<pollfd, 2> both{{{STDIN_FILENO, POLLIN, 0}, {signals_, POLLIN, 0}}};
  if (poll(both.data(), both.size(), -1) <= 0 || both[1].revents != 0) return false;
  std::array<char, 4096> piece;
  const ssize_t got = read(STDIN_FILENO, piece.data(), piece.size());
  if (got <= 0) return false;
  buffer_.append(piece.data(), static_cast<size_t>(got));
  return true;
}

}  // namespace outrigger::kube_actor
