#include "cel/syntax/error.h"

#include <algorithm>

#include "cel/values/concat.h"
#include "cel/values/text.h"

namespace outrigger::cel {
namespace {

constexpr size_t kBefore = 60;  // bytes of the line that are shown before and after the caret
constexpr size_t kAfter = 60;

bool StartsCodePoint(char c) {
  return (static_cast<uint8_t>(c) & 0xC0U) != 0x80U;
}

std::string Printable(std::string_view text) {
  std::string shown(text);
  for (char& c : shown) {
    if (static_cast<uint8_t>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return shown;
}

}  // namespace

Place PlaceOf(std::string_view text, uint32_t offset) {
  const std::string_view before = text.substr(0, offset);
  const size_t newline = before.rfind('\n');
  const size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  return {1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n')),
          1 + CountCodePoints(before.substr(begin))};
}

std::string Describe(std::string_view text, const SyntaxError& error) {
  const size_t offset = std::min<size_t>(error.offset, text.size());
  const Place place = PlaceOf(text, static_cast<uint32_t>(offset));
  const size_t newline = text.substr(0, offset).rfind('\n');
  const size_t line = newline == std::string_view::npos ? 0 : newline + 1;
  size_t begin = offset - line > kBefore ? offset - kBefore : line;
  while (begin < offset && !StartsCodePoint(text[begin])) ++begin;
  size_t end = std::min(text.find('\n', offset), text.size());
  end = std::min(end, offset + kAfter);
  while (end < text.size() && !StartsCodePoint(text[end])) ++end;
  const size_t indent = CountCodePoints(text.substr(begin, offset - begin));
  return Concat("ERROR: <input>:", place.line, ":", place.column, ": ", error.message, "\n | ",
                Printable(text.substr(begin, end - begin)), "\n | ", std::string(indent, '.'), "^");
}

}  // namespace outrigger::cel
