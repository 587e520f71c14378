#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace outrigger::cli {

/// A value of a settings file and where it stands there.
struct FileValue {
  std::string key;   // "port" or "safe.maxRisk"
  std::string text;  // a list of names is joined by commas
  bool quoted = false;
  std::string key_place;  // where the key stands
  std::string place;      // where the value stands: "outrigger.yaml:3:12", line and column from 1
};

/// The values of a settings file in YAML (or JSON, which is YAML): a mapping of server settings and
/// of one section per agent.
///
///     port: 9870
///     agents: [safe, congestion]
///     safe: {maxRisk: 0.3, weight: 2}
///
/// `name` is for messages. InvalidArgument, with the place, for what is not YAML, a key twice, a
/// nesting that no setting has, and a key without a value. Which keys exist, this does not know.
absl::StatusOr<std::vector<FileValue>> ParseConfigFile(std::string_view name,
                                                       const std::string& text);

}  // namespace outrigger::cli
