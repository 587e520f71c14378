#include "engine/event_text.h"

#include <algorithm>

#include "fmt/format.h"

namespace outrigger::engine {

std::string ForEvent(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c != '%') {
      out += c;
      continue;
    }
    if (!out.empty() && out.back() != ' ') out += ' ';
    out += "percent";
  }
  return out;
}

std::string CountedReasonsText(const std::vector<CountedReason>& reasons) {
  std::vector<std::string> parts;
  parts.reserve(reasons.size());
  for (const CountedReason& counted : reasons) {
    parts.push_back(fmt::format("{} {}", counted.nodes, counted.reason));
  }
  std::sort(parts.begin(), parts.end());
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace outrigger::engine
