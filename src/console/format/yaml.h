#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "nlohmann/json_fwd.hpp"
#include "yaml-cpp/node/node.h"

namespace outrigger::cli {

/// Block-style YAML of `json`, ending with a newline. Texts that a plain scalar would turn into
/// another type are quoted.
std::string YamlFromJson(const nlohmann::ordered_json& json);

/// True for what is not there or null: Kubernetes takes both for the same.
bool IsAbsent(const YAML::Node& node);

/// A scalar that YamlFromNode writes so that it is read as text.
YAML::Node TextNode(const std::string& text);

/// Block-style YAML of `node`, ending with a newline. What was quoted stays quoted, so no text
/// turns into a number; aliases are written out. InvalidArgument for a document that contains
/// itself or that aliases make larger than a configuration can be.
absl::StatusOr<std::string> YamlFromNode(const YAML::Node& node);

}  // namespace outrigger::cli
