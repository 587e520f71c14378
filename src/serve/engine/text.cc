#include "serve/engine/text.h"

#include <algorithm>

#include "fmt/format.h"

namespace outrigger::engine {

std::string ForEvent(std::string_view text) {
  std::string out;
  AppendForEvent(text, &out);
  return out;
}

void AppendForEvent(std::string_view text, std::string* out) {
  const size_t begin = out->size();
  for (size_t at = 0; at < text.size();) {
    const size_t sign = std::min(text.find('%', at), text.size());
    out->append(text, at, sign - at);
    if (sign == text.size()) return;
    if (out->size() > begin && out->back() != ' ') *out += ' ';
    out->append("percent");
    at = sign + 1;
  }
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
