#include "serve/wire/node_set.h"

#include <algorithm>
#include <vector>

#include "codec/json/path.h"
#include "fmt/format.h"

namespace outrigger::wire {
namespace {

using json::Cut;

absl::Status Disagree(std::string_view how, std::string_view name) {
  return absl::FailedPreconditionError(
      fmt::format("Nodes and NodeNames disagree: {} \"{}\"; set one, or the same nodes in both",
                  how, Cut(name)));
}

}  // namespace

absl::Status CheckSameNames(std::span<const std::string_view> given,
                            std::span<const std::string_view> nodes, const names::NameSet& set) {
  std::vector<bool> seen(nodes.size());
  for (const std::string_view name : given) {
    const size_t at = set.Find(name);
    if (at == names::NameSet::kNone || seen[at]) {
      return Disagree("only NodeNames has, or has twice,", name);
    }
    seen[at] = true;
  }
  const auto left = std::find(seen.begin(), seen.end(), false);
  if (left == seen.end()) return absl::OkStatus();
  return Disagree("only Nodes has", nodes[static_cast<size_t>(left - seen.begin())]);
}

}  // namespace outrigger::wire
