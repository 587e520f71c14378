#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace outrigger::pigeon {

/// What pigeon.cfg says: lines "key = value"; a line is a comment if '#' is its first character. A
/// plain value.
struct ConfigFile {
  std::optional<std::string> objective;  ///< policyObjective, as it is written
  std::optional<std::string> index;      ///< policyResourceIndex
  std::vector<std::string> notes;        ///< lines that say nothing, for the log
};

/// Reads the text of the file. The original keeps blanks and the CR at the end of a value, so that
/// "LOAD_BALANCE " is none of its objectives; with `keep_blanks` so does this. Of a key that is
/// there twice the last counts.
ConfigFile ParseConfig(std::string_view text, bool keep_blanks);

/// Reads a file of at most 64 KiB. NotFound: there is none; InvalidArgument: it is larger.
absl::StatusOr<std::string> ReadConfigText(const std::string& path);

}  // namespace outrigger::pigeon
