#include "plan/groups/topology.h"

#include <utility>

#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "outrigger/k8s/label_syntax.h"

namespace outrigger::plan {

std::vector<std::string> TopologyLevels(std::string_view annotation,
                                        std::optional<std::string>* malformed) {
  std::vector<std::string> levels;
  for (std::string& level : SplitList(annotation)) {
    if (IsLabelKey(level)) {
      levels.push_back(std::move(level));
    } else if (!level.empty() && !*malformed) {
      *malformed = std::move(level);
    }
  }
  return levels;
}

std::string MalformedLevel(std::string_view key, std::string_view level) {
  return fmt::format("annotation {}: \"{}\" is no label key", key, level.substr(0, 64));
}

}  // namespace outrigger::plan
