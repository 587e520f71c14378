#pragma once

#include <string>
#include <vector>

#include "yaml-cpp/yaml.h"

namespace outrigger::cli {

/// The documents of `text`. Throws YAML::Exception, as yaml-cpp does, for what is not YAML.
///
/// For YAML::LoadAll(), which in yaml-cpp 0.7 takes a text such as ", a" for empty documents
/// without end and fills the memory with them.
std::vector<YAML::Node> LoadDocuments(const std::string& text);

}  // namespace outrigger::cli
