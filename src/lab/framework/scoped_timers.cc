#include "lab/framework/scoped_timers.h"

#include "outrigger/base/mutex.h"

namespace outrigger::lab {

struct ScopedTimers::Gate {
  Mutex mutex;
  bool open ABSL_GUARDED_BY(mutex) = true;
};

ScopedTimers::ScopedTimers(Timers* timers) : timers_(timers), gate_(std::make_shared<Gate>()) {}

ScopedTimers::~ScopedTimers() {
  const MutexLock lock(gate_->mutex);
  gate_->open = false;
}

void ScopedTimers::At(Clock::TimePoint when, std::function<void()> task) {
  timers_->At(when, [gate = gate_, task = std::move(task)] {
    const MutexLock lock(gate->mutex);
    if (gate->open) task();
  });
}

}  // namespace outrigger::lab
