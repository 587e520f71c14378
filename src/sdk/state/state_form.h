#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

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

}  // namespace outrigger::internal
