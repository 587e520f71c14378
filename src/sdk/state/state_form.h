#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace outrigger::internal {

/// What a file with state says.
struct StateForm {
  std::string agent;
  uint64_t version = 0;  // counts the writes; at least 1
  std::map<std::string, std::string, std::less<>> data;
};

/// JSON with a line for each key, so that people can read it.
std::string PrintState(const StateForm& form);

/// DataLoss: `text` is no such form, or one of a later version of the program.
absl::StatusOr<StateForm> ParseState(std::string_view text);

}  // namespace outrigger::internal
