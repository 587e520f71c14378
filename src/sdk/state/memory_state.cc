#include "memory_state.h"

#include "fmt/format.h"
#include "state_rules.h"

namespace outrigger::internal {

absl::StatusOr<StoredState> MemoryState::Load(const CallLimits& /*limits*/) {
  const MutexLock lock(mutex_);
  return stored_;
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
