#include "console/process/signals.h"

#include <pthread.h>
#include <signal.h>

#include <cstdlib>
#include <thread>

namespace outrigger::cli {
namespace {

sigset_t StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

// Nothing runs in a signal handler: the signals stay blocked and are fetched here.
void WaitForOne() {
  const sigset_t set = StopSignals();
  int signal = 0;
  while (sigwait(&set, &signal) != 0) {
  }
}

}  // namespace

void IgnoreBrokenPipes() {
  signal(SIGPIPE, SIG_IGN);
}

void HoldSignals() {
  const sigset_t set = StopSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  IgnoreBrokenPipes();
}

void WaitForStop() {
  WaitForOne();
  std::thread([] {
    WaitForOne();
    std::_Exit(1);
  }).detach();
}

}  // namespace outrigger::cli
