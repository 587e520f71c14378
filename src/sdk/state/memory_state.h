#pragma once

#include <cstdint>
#include <string>

#include "outrigger/agent/state_store.h"
#include "outrigger/base/mutex.h"

namespace outrigger::internal {

/// State that ends with the process.
class MemoryState final : public StateStore {
 public:
  absl::StatusOr<StoredState> Load(const CallLimits& limits) override;
  absl::StatusOr<std::string> Save(const StoredState& state, const CallLimits& limits) override;
  std::string Place() const override { return "memory"; }

 private:
  Mutex mutex_;
  StoredState stored_ ABSL_GUARDED_BY(mutex_);
  uint64_t saves_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace outrigger::internal
