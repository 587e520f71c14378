#include "wire/brackets.h"

#include <algorithm>

#include "fmt/format.h"

namespace outrigger::wire {
namespace {

bool Opens(char c) {
  return c == '{' || c == '[';
}
bool Closes(char c) {
  return c == '}' || c == ']';
}

// The position of the quote that ends the string which begins at `quote`.
size_t EndOfString(std::string_view raw, size_t quote) {
  size_t at = quote + 1;
  while (at < raw.size() && raw[at] != '"') at += raw[at] == '\\' ? 2 : 1;
  return at;
}

bool IsTooDeep(std::string_view raw) {
  size_t depth = 0;
  for (size_t at = 0; at < raw.size(); ++at) {
    if (raw[at] == '"') {
      at = EndOfString(raw, at);
    } else if (Opens(raw[at])) {
      if (++depth > kMaxDepth) return true;
    } else if (Closes(raw[at]) && depth > 0) {
      --depth;
    }
  }
  return false;
}

}  // namespace

absl::Status CheckBrackets(std::string_view raw, const Path& at) {
  const bool same_kind = raw.size() >= 2 && raw.back() == (raw.front() == '{' ? '}' : ']');
  if (!same_kind) return Broken(at, simdjson::TAPE_ERROR);
  // A depth of n takes 2n brackets; counting all of them, those in strings too, is the next bound.
  const bool may_be_too_deep =
      raw.size() > 2 * kMaxDepth &&
      static_cast<size_t>(std::count_if(raw.begin(), raw.end(), Opens)) > kMaxDepth;
  if (may_be_too_deep && IsTooDeep(raw)) {
    return Invalid(at, fmt::format("nested deeper than {} levels", kMaxDepth));
  }
  return absl::OkStatus();
}

}  // namespace outrigger::wire
