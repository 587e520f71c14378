#pragma once

#include <string>

#include "nlohmann/json_fwd.hpp"

namespace outrigger::cli {

/// `json` as YAML, as sigs.k8s.io/yaml (go-yaml 2) writes it, but that long lines are not broken:
/// keys in order, lists not indented below their key, quotes only where they are needed, texts of
/// several lines as blocks.
std::string GoYaml(const nlohmann::json& json);

}  // namespace outrigger::cli
