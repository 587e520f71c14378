#include "cel/values/text.h"

#include <algorithm>

namespace outrigger::cel {
namespace {

uint8_t ByteAt(std::string_view text, size_t i) {
  return static_cast<uint8_t>(text[i]);
}

bool Continues(std::string_view text, size_t i) {
  return i < text.size() && (ByteAt(text, i) & 0xC0U) == 0x80U;
}

// The least and greatest second byte that keep overlong forms, surrogates and codes past 0x10FFFF
// out (RFC 3629, section 4).
bool SecondByteFits(uint8_t first, uint8_t second) {
  switch (first) {
    case 0xE0:
      return second >= 0xA0;
    case 0xED:
      return second <= 0x9F;
    case 0xF0:
      return second >= 0x90;
    case 0xF4:
      return second <= 0x8F;
    default:
      return true;
  }
}

// Bytes of the valid code point at `i`, or 0.
size_t ValidLength(std::string_view text, size_t i) {
  const uint8_t first = ByteAt(text, i);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  for (size_t k = 1; k < length; ++k) {
    if (!Continues(text, i + k)) return 0;
  }
  return SecondByteFits(first, ByteAt(text, i + 1)) ? length : 0;
}

}  // namespace

size_t CountCodePoints(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xC0U) != 0x80U; }));
}

size_t LengthOfCodePoint(std::string_view text) {
  return text.empty() ? 0 : std::max<size_t>(1, ValidLength(text, 0));
}

size_t OffsetOfCodePoint(std::string_view text, size_t index) {
  size_t offset = 0;
  for (; index > 0 && offset < text.size(); --index) {
    offset += LengthOfCodePoint(text.substr(offset));
  }
  return offset;
}

void AppendCodePoint(std::string& out, uint32_t code) {
  const auto tail = [&](unsigned shift) {
    out.push_back(static_cast<char>(0x80U | ((code >> shift) & 0x3FU)));
  };
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xC0U | (code >> 6U)));
    tail(0);
  } else if (code < 0x10000) {
    out.push_back(static_cast<char>(0xE0U | (code >> 12U)));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xF0U | (code >> 18U)));
    tail(12);
    tail(6);
    tail(0);
  }
}

bool IsValidUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const size_t length = ValidLength(text, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

}  // namespace outrigger::cel
