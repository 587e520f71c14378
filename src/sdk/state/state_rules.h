#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "outrigger/agent/state_store.h"

namespace outrigger::internal {

/// True if a ConfigMap may have that key.
bool IsStateKey(std::string_view key);

/// InvalidArgument if no store takes the state, wherever it is kept.
absl::Status CheckState(const StoredState& state);

/// `status` with the place in front; an error says where it happened.
absl::Status At(std::string_view place, const absl::Status& status);

}  // namespace outrigger::internal
