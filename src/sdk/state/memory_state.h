#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "outrigger/agent/state_store.h"
#include "outrigger/base/mutex.h"

namespace outrigger::internal {

/// State that ends with the process. `warn` is called once, with the first read: an agent that is
/// made and not served says nothing.
class MemoryState final : public StateStore {
 public:
  explicit MemoryState(std::function<void()> warn) : warn_(std::move(warn)) {}

  absl::StatusOr<StoredState> Load(const CallLimits& limits) override;
  absl::StatusOr<std::string> Save(const StoredState& state, const CallLimits& limits) override;
  std::string Place() const override { return "memory"; }

 private:
  Mutex mutex_;
  std::function<void()> warn_ ABSL_GUARDED_BY(mutex_);  // nullptr: done
  StoredState stored_ ABSL_GUARDED_BY(mutex_);
  uint64_t saves_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace outrigger::internal
