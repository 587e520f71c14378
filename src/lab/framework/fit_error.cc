#include "lab/framework/fit_error.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_join.h"
#include "fmt/core.h"

namespace outrigger::lab {

std::string FitErrorText(size_t nodes, const ReasonCounts& reasons) {
  const std::string text = fmt::format("0/{} nodes are available", nodes);
  if (reasons.empty()) return text + ".";
  std::vector<std::string> counted;
  counted.reserve(reasons.size());
  for (const auto& [reason, count] : reasons)
    counted.push_back(fmt::format("{} {}", count, reason));
  // By the whole text, numbers included, as upstream does: equal states give equal texts.
  std::sort(counted.begin(), counted.end());
  return fmt::format("{}: {}.", text, absl::StrJoin(counted, ", "));
}

}  // namespace outrigger::lab
