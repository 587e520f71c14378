#include "cli/scheduler_config/policy_source.h"

#include <algorithm>
#include <set>
#include <vector>

#include "console/format/text.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli::policy {

absl::Status Source::Error(const Place& place, const std::string& what) const {
  const std::string field = place.path.empty() ? "" : place.path + ": ";
  return absl::InvalidArgumentError(
      Printable(fmt::format("{}:{}: {}{}", name_, place.line, field, what)));
}

absl::Status Source::CheckKeys(const YAML::Node& node, const Place& place,
                               std::span<const std::string_view> known) const {
  if (!node.IsMap()) return Error(place, "expected a mapping");
  std::set<std::string> seen;
  for (const auto& entry : node) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
    const Place at{place.path.empty() ? key : place.path + "." + key, entry.first.Mark().line + 1};
    if (!seen.insert(key).second) return Error(at, "is given twice");
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::vector<std::string> names(known.begin(), known.end());
    const std::string near = DidYouMean(key, names);
    return Error(at, near.empty() ? "there is no such field; a Policy has here " + Listed(names)
                                  : "a Policy has no such field" + near);
  }
  return absl::OkStatus();
}

Place PlaceOfElement(const std::string& list, size_t index, const YAML::Node& element) {
  return {fmt::format("{}[{}]", list, index), element.Mark().line + 1};
}

}  // namespace outrigger::cli::policy
