#include "http/client/broken_pipes.h"

#include <csignal>
#include <ctime>

namespace outrigger::http_client {
namespace {

sigset_t BrokenPipe() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  return signals;
}

}  // namespace

NoBrokenPipes::NoBrokenPipes() {
  const sigset_t signals = BrokenPipe();
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
}

NoBrokenPipes::~NoBrokenPipes() {
  const sigset_t signals = BrokenPipe();
  // One that was blocked before is its blocker's to take.
  if (sigismember(&before_, SIGPIPE) == 0) {
    const timespec at_once{};
    sigtimedwait(&signals, nullptr, &at_once);  // what this thread has raised meanwhile
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace outrigger::http_client
