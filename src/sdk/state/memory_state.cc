#include "memory_state.h"

#include <functional>
#include <utility>

#include "fmt/format.h"
#include "state_rules.h"

namespace outrigger::internal {

absl::StatusOr<StoredState> MemoryState::Load(const CallLimits& /*limits*/) {
  std::function<void()> warn;
  StoredState stored;
  {
    const MutexLock lock(mutex_);
    warn = std::exchange(warn_, nullptr);
    stored = stored_;
  }
  if (warn != nullptr) warn();
  return stored;
}

absl::StatusOr<std::string> MemoryState::Save(const StoredState& state,
                                              const CallLimits& /*limits*/) {
  if (absl::Status wrong = CheckState(state); !wrong.ok()) return At(Place(), wrong);
  const MutexLock lock(mutex_);
  if (state.version != stored_.version) {
    return At(Place(), absl::AbortedError("another version is stored"));
  }
  stored_.data = state.data;
  stored_.version = fmt::format("{}", ++saves_);
  return stored_.version;
}

}  // namespace outrigger::internal
