#include "console/process/stop_on_signals.h"

#include <pthread.h>

#include <utility>

namespace outrigger::cli {
namespace {

sigset_t WatchedSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGWINCH}) sigaddset(&set, signal);
  return set;
}

}  // namespace

StopOnSignals::StopOnSignals(std::function<void()> on_resize) : on_resize_(std::move(on_resize)) {
  const sigset_t set = WatchedSignals();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
  thread_ = std::thread([this] { Watch(); });
}

StopOnSignals::~StopOnSignals() {
  ended_ = true;
  pthread_kill(thread_.native_handle(), SIGWINCH);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

// Nothing runs in a signal handler: the signals stay blocked and are fetched here.
void StopOnSignals::Watch() {
  const sigset_t set = WatchedSignals();
  while (!ended_) {
    int signal = 0;
    if (sigwait(&set, &signal) != 0 || ended_) continue;
    if (signal != SIGWINCH) {
      stop_.request_stop();
    } else if (on_resize_) {
      on_resize_();
    }
  }
}

}  // namespace outrigger::cli
