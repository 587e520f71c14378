#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace outrigger::cli {

/// "max-risk" -> "maxRisk": names of settings in files.
std::string CamelCase(std::string_view kebab);

/// "max-risk" -> "MAX_RISK": names of settings in the environment and of CMake options.
std::string UpperCase(std::string_view kebab);

/// "; did you mean X?", or empty when nothing is near.
std::string DidYouMean(std::string_view text, const std::vector<std::string>& candidates);

/// Candidates that begin or go on like `text`, five at most, and else the nearest one; sorted.
std::vector<std::string> NearNames(std::string_view text,
                                   const std::vector<std::string>& candidates);

/// "a, b and c"; "none" for an empty list.
std::string Listed(const std::vector<std::string>& names);

}  // namespace outrigger::cli
