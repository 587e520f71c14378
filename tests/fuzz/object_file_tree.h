#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nlohmann/json.hpp"

// A second opinion on a file of YAML: the trees that yaml-cpp itself makes of it.

namespace outrigger::fuzz {

/// `text`, which must be JSON; null if a number in it is larger than a double.
nlohmann::json ParsedJson(std::string_view text);

/// The text of a field; empty if it is no text.
std::string TextAt(const nlohmann::json& object, const char* key);

/// Requires that `text` has no control character of ASCII.
void CheckPrintable(std::string_view text);

/// The documents of `text`, which must be YAML, but for empty ones.
std::vector<nlohmann::json> TreesOf(const std::string& text);

}  // namespace outrigger::fuzz
