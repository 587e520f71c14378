#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "demand/resources.h"
#include "objective.h"
#include "settings.h"

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

/// What the settings and the file of the original say together. A plain value.
struct Options {
  Objective objective = Objective::kBinPack;
  Resources resources{{}};
  size_t prime = 0;                ///< its place in `resources`
  bool original = false;           ///< original-arithmetic
  bool original_counts = true;     ///< fault of the original: only then it knows the demand
  std::vector<std::string> notes;  ///< what a person should hear
};

/// `given` are the names of the settings that were set: those win over the file. InvalidArgument
/// for settings that are wrong together, and for a file that was named and cannot be read.
absl::StatusOr<Options> OptionsFrom(const Settings& settings,
                                    const std::set<std::string, std::less<>>& given);

}  // namespace outrigger::pigeon
