#pragma once

#include <string>
#include <vector>

#include "fmt/format.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {

/// "verbs resource.group" of each rule.
inline std::vector<std::string> Rules(const YAML::Node& role) {
  std::vector<std::string> texts;
  for (const YAML::Node& rule : role["rules"]) {
    const auto words = [&rule](const char* key) {
      return fmt::format("{}", fmt::join(rule[key].as<std::vector<std::string>>(), ","));
    };
    texts.push_back(
        fmt::format("{} {}.{}", words("verbs"), words("resources"), words("apiGroups")));
    if (rule["resourceNames"].IsDefined()) texts.back() += "[" + words("resourceNames") + "]";
  }
  return texts;
}

}  // namespace outrigger::cli
