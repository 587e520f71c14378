#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outrigger::plan {

/// The levels of an annotation, without blanks around them and without empty ones. The first that
/// is no label key goes to `malformed` and is left out, as are all others like it. Each is given
/// once; of more than kMostTopologyLevels one more than these.
std::vector<std::string> TopologyLevels(std::string_view annotation,
                                        std::optional<std::string>* malformed);

/// 'annotation KEY: names more than 8 topology levels, which are accepted'.
std::string TooManyLevels(std::string_view key);
/// 'annotation KEY: "LEVEL" is no label key'.
std::string MalformedLevel(std::string_view key, std::string_view level);

}  // namespace outrigger::plan
