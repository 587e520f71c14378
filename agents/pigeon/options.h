#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "demand/resources.h"
#include "objective.h"
#include "settings.h"

namespace outrigger::pigeon {

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
