#include "plan/groups/topology.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "outrigger/k8s/label_syntax.h"
#include "plan/groups/limits.h"

namespace outrigger::plan {

std::vector<std::string> TopologyLevels(std::string_view annotation,
                                        std::optional<std::string>* malformed) {
  std::vector<std::string> levels;
  for (std::string& level : SplitList(annotation)) {
    if (std::find(levels.begin(), levels.end(), level) != levels.end()) continue;
    if (levels.size() > kMostTopologyLevels) break;  // one too many says it
    if (IsLabelKey(level)) {
      levels.push_back(std::move(level));
    } else if (!level.empty() && !*malformed) {
      *malformed = std::move(level);
    }
  }
  return levels;
}

std::string TooManyLevels(std::string_view key) {
  return fmt::format("annotation {}: names more than {} topology levels, which are accepted", key,
                     kMostTopologyLevels);
}

std::string MalformedLevel(std::string_view key, std::string_view level) {
  return fmt::format("annotation {}: \"{}\" is no label key", key, level.substr(0, 64));
}

}  // namespace outrigger::plan
