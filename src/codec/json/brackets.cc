#include "codec/json/brackets.h"

#include <algorithm>

#include "fmt/format.h"

namespace outrigger::json {
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
    if (raw[at] == '\\' && at + 1 < raw.size() && (raw[at + 1] == '"' || raw[at + 1] == '\\')) {
      ++at;  // to simdjson a backslash escapes a quote outside of strings, too
    } else if (raw[at] == '"') {
      at = EndOfString(raw, at);
    } else if (Opens(raw[at])) {
      if (++depth > kMaxDepth) return true;
    } else if (Closes(raw[at]) && depth > 0) {
      --depth;
    }
  }
  return false;
}

size_t AfterBlanks(std::string_view raw, size_t at) {
  while (at < raw.size() &&
         (raw[at] == ' ' || raw[at] == '\n' || raw[at] == '\t' || raw[at] == '\r')) {
    ++at;
  }
  return at;
}

// True if a value begins at `at`, which is not a string before a colon.
bool ValueBegins(std::string_view raw, size_t at) {
  if (std::string_view(",:]}").find(raw[at]) != std::string_view::npos) return false;
  if (raw[at] != '"') return true;
  at = AfterBlanks(raw, EndOfString(raw, at) + 1);
  return at >= raw.size() || raw[at] != ':';
}

// Where simdjson steps over an object or array it looks at brackets only, and counts them right if
// and only if what it meets first is a value (in an object, behind a key and a colon). That it is
// an end is fine as well.
bool BeginsWell(std::string_view raw) {
  size_t at = AfterBlanks(raw, 1);
  if (raw.front() == '[') return raw[at] == ']' || ValueBegins(raw, at);
  if (raw[at] != '"') return raw[at] == '}';
  at = AfterBlanks(raw, EndOfString(raw, at) + 1);
  if (at >= raw.size() || raw[at] != ':') return false;
  at = AfterBlanks(raw, at + 1);
  return at < raw.size() && ValueBegins(raw, at);
}

}  // namespace

absl::Status CheckBrackets(std::string_view raw, const Path& at) {
  const bool same_kind = raw.size() >= 2 && raw.back() == (raw.front() == '{' ? '}' : ']');
  if (!same_kind || !BeginsWell(raw)) return Broken(at, simdjson::TAPE_ERROR);
  // A depth of n takes 2n brackets; counting all of them, those in strings too, is the next bound.
  const bool may_be_too_deep =
      raw.size() > 2 * kMaxDepth &&
      static_cast<size_t>(std::count_if(raw.begin(), raw.end(), Opens)) > kMaxDepth;
  if (may_be_too_deep && IsTooDeep(raw)) {
    return Invalid(at, fmt::format("nested deeper than {} levels", kMaxDepth));
  }
  return absl::OkStatus();
}

}  // namespace outrigger::json
