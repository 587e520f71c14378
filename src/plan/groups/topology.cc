#include "plan/groups/topology.h"

#include <algorithm>

#include "fmt/format.h"
#include "outrigger/k8s/label_syntax.h"

namespace outrigger::plan {
namespace {

std::string_view WithoutBlanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

std::vector<std::string> TopologyLevels(std::string_view annotation,
                                        std::optional<std::string>* malformed) {
  std::vector<std::string> levels;
  while (!annotation.empty()) {
    const size_t comma = std::min(annotation.find(','), annotation.size());
    const std::string_view level = WithoutBlanks(annotation.substr(0, comma));
    annotation.remove_prefix(std::min(comma + 1, annotation.size()));
    if (IsLabelKey(level)) {
      levels.emplace_back(level);
    } else if (!level.empty() && !*malformed) {
      malformed->emplace(level);
    }
  }
  return levels;
}

std::string MalformedLevel(std::string_view key, std::string_view level) {
  return fmt::format("annotation {}: \"{}\" is no label key", key, level.substr(0, 64));
}

}  // namespace outrigger::plan
