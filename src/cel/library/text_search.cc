#include "cel/library/text_search.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "cel/values/collections.h"
#include "cel/values/text.h"

namespace outrigger::cel {
namespace {

re2::StringPiece Piece(std::string_view text) {
  return {text.data(), text.size()};
}
std::string_view View(const re2::StringPiece& piece) {
  return {piece.data(), piece.size()};
}

// Bytes of the white space that begins `text`, 0 if none does.
size_t SpaceAt(std::string_view text) {
  if (text.empty()) return 0;
  if (std::string_view(" \t\n\v\f\r").find(text[0]) != std::string_view::npos) return 1;
  static constexpr std::array<std::string_view, 19> kWide = {
      "\u0085", "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003",
      "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a",
      "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};
  for (const std::string_view space : kWide) {
    if (text.starts_with(space)) return space.size();
  }
  return 0;
}

// The next place of `old` in `text` at or after `from`; an empty one is at each code point.
size_t NextPlace(std::string_view text, std::string_view old, size_t from, bool first) {
  if (!old.empty()) return text.find(old, from);
  if (first) return from;
  if (from >= text.size()) return std::string_view::npos;
  return from + LengthOfCodePoint(text.substr(from));
}

size_t CountPlaces(std::string_view text, std::string_view old, uint64_t most) {
  size_t count = 0;
  for (size_t at = 0; count < most; ++count) {
    at = NextPlace(text, old, at, count == 0);
    if (at == std::string_view::npos) break;
    at += old.size();
  }
  return count;
}

uint64_t Most(int64_t most) {
  return most < 0 ? UINT64_MAX : static_cast<uint64_t>(most);
}

}  // namespace

std::string_view TrimSpace(std::string_view text) {
  while (const size_t space = SpaceAt(text)) text.remove_prefix(space);
  while (!text.empty()) {
    size_t begin = text.size() - 1;
    while (begin > 0 && (static_cast<uint8_t>(text[begin]) & 0xC0U) == 0x80U) --begin;
    if (SpaceAt(text.substr(begin)) != text.size() - begin) break;
    text = text.substr(0, begin);
  }
  return text;
}

Value ReplaceText(Evaluation& evaluation, std::string_view text, std::string_view old,
                  std::string_view replacement, int64_t most) {
  const size_t count = CountPlaces(text, old, Most(most));
  if (count == 0) return Value::String(text);
  const size_t size = text.size() - count * old.size() + count * replacement.size();
  if (size > UINT32_MAX) return OutOfMemory();
  char* place = evaluation.arena.Allocate<char>(size);
  if (place == nullptr) return OutOfMemory();
  char* end = place;
  size_t copied = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t at = NextPlace(text, old, copied, i == 0);
    end = std::copy(text.begin() + static_cast<ptrdiff_t>(copied),
                    text.begin() + static_cast<ptrdiff_t>(at), end);
    end = std::copy(replacement.begin(), replacement.end(), end);
    copied = at + old.size();
  }
  std::copy(text.begin() + static_cast<ptrdiff_t>(copied), text.end(), end);
  return Value::String({place, size});
}

Value SplitText(Evaluation& evaluation, std::string_view text, std::string_view separator,
                int64_t most) {
  Value parts = Value::List(nullptr, 0);
  if (most == 0) return parts;
  const uint64_t limit = Most(most);
  const auto add = [&](std::string_view part) {
    const Value item = Value::String(part);
    parts = AppendedList(evaluation.arena, parts, {&item, 1});
    return !parts.IsError();
  };
  while (parts.size() + 1 < limit) {
    const size_t at = separator.empty() ? LengthOfCodePoint(text) : text.find(separator);
    if (at == std::string_view::npos || (separator.empty() && at >= text.size())) break;
    if (!add(text.substr(0, at))) return parts;
    text.remove_prefix(at + separator.size());
  }
  if (!separator.empty() || !text.empty()) add(text);
  return parts;
}

Value IndexOfText(std::string_view text, std::string_view wanted, int64_t offset) {
  if (wanted.empty()) return Value::Int(offset);
  if (offset < 0) return Value::Error(ErrorCode::kIndexOutOfRange);
  const size_t begin = OffsetOfCodePoint(text, static_cast<size_t>(offset));
  const size_t at = text.find(wanted, begin);
  if (at == std::string_view::npos) return Value::Int(-1);
  return Value::Int(static_cast<int64_t>(CountCodePoints(text.substr(0, at))));
}

Value LastIndexOfText(std::string_view text, std::string_view wanted, const int64_t* offset) {
  const auto size = static_cast<int64_t>(CountCodePoints(text));
  if (wanted.empty()) return Value::Int(offset == nullptr ? size : *offset);
  if (offset != nullptr && *offset < 0) return Value::Error(ErrorCode::kIndexOutOfRange);
  if (offset != nullptr && *offset >= size) return Value::Int(-1);
  const size_t last =
      offset == nullptr ? text.size() : OffsetOfCodePoint(text, static_cast<size_t>(*offset));
  const size_t at = text.rfind(wanted, last);
  if (at == std::string_view::npos) return Value::Int(-1);
  return Value::Int(static_cast<int64_t>(CountCodePoints(text.substr(0, at))));
}

bool RegexMatches(const re2::RE2& regex, std::string_view text) {
  return regex.Match(Piece(text), 0, text.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

Value RegexFind(const re2::RE2& regex, std::string_view text) {
  re2::StringPiece match;
  if (!regex.Match(Piece(text), 0, text.size(), re2::RE2::UNANCHORED, &match, 1)) {
    return Value::String("");
  }
  return Value::String(View(match));
}

Value RegexFindAll(Evaluation& evaluation, const re2::RE2& regex, std::string_view text,
                   int64_t most) {
  Value matches = Value::List(nullptr, 0);
  const uint64_t limit = Most(most);
  const char* last_end = nullptr;
  for (size_t at = 0; at <= text.size() && matches.size() < limit;) {
    re2::StringPiece match;
    if (!regex.Match(Piece(text), at, text.size(), re2::RE2::UNANCHORED, &match, 1)) break;
    const char* end = match.data() + match.size();
    // An empty match right after the one before is none.
    if (!match.empty() || match.data() != last_end) {
      const Value item = Value::String(View(match));
      matches = AppendedList(evaluation.arena, matches, {&item, 1});
      if (matches.IsError()) return matches;
    }
    last_end = end;
    at = static_cast<size_t>(end - text.data());
    if (match.empty()) at += std::max<size_t>(1, LengthOfCodePoint(text.substr(at)));
  }
  return matches;
}

}  // namespace outrigger::cel
