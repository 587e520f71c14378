#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outrigger/agent/state_store.h"

namespace outrigger::internal {

/// What a file with state says.
struct StateForm {
  std::string agent;     // one line
  uint64_t version = 0;  // counts the writes; at least 1
  std::map<std::string, std::string, std::less<>> data;
};

/// Lines that a person can read and edit:
///
///     outrigger-state 1
///     agent reward
///     version 12
///     key pairs
///     |first line of the text
///     |second line
///     end
std::string PrintState(const StateForm& form);

/// DataLoss: `text` is not of this form, or of one of a later version of the program.
absl::StatusOr<StateForm> ParseState(std::string_view text);

/// True if a ConfigMap may have that key.
bool IsStateKey(std::string_view key);

/// InvalidArgument if no store takes the state, wherever it is kept.
absl::Status CheckState(const StoredState& state);

/// `status` with the place in front; an error says where it happened.
absl::Status At(std::string_view place, const absl::Status& status);

}  // namespace outrigger::internal
