#include "serve/engine/call.h"

#include <utility>

namespace outrigger::engine {
namespace {

// Calls for filter and prioritize come one at a time from each scheduler.
constexpr size_t kKeptStates = 8;
// A state that served a larger cluster than this is given back to the system.
constexpr size_t kKeptNodes = 20'000;

}  // namespace

std::unique_ptr<CallState> CallStatePool::Take() {
  {
    const MutexLock lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<CallState> state = std::move(free_.back());
      free_.pop_back();
      return state;
    }
  }
  return std::make_unique<CallState>();
}

void CallStatePool::Return(std::unique_ptr<CallState> state) {
  state->view.reset();
  state->abandoned = {};
  if (state->nodes.capacity() > kKeptNodes) return;
  const MutexLock lock(mutex_);
  if (free_.size() < kKeptStates) free_.push_back(std::move(state));
}

}  // namespace outrigger::engine
