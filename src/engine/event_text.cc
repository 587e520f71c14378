#include "engine/event_text.h"

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

}  // namespace outrigger::engine
