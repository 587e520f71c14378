#include "codec/json/text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "sdk/base/utf8.h"

// JSON string literals as Go's encoding/json writes them: HTML characters and the line separators
// U+2028 and U+2029 are escaped, what is not UTF-8 becomes U+FFFD.

namespace outrigger::json {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::string_view kReplacement = "\\ufffd";

unsigned char Byte(std::string_view text, size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// True for the bytes that can be copied without a look at their neighbours.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (size_t c = 0x20; c < 0x80; ++c) plain[c] = true;
  for (const char c : std::string_view("\"\\<>&")) plain[static_cast<unsigned char>(c)] = false;
  return plain;
}();

constexpr size_t kBlock = 16;

// Of compilers for any processor; a loop over bytes is not made into this.
using Block [[gnu::vector_size(kBlock)]] = unsigned char;

bool BlockIsPlain(const char* bytes) {
  Block c;
  std::memcpy(&c, bytes, kBlock);
  const auto odd =
      (c < 0x20) | (c >= 0x80) | (c == '"') | (c == '\\') | (c == '<') | (c == '>') | (c == '&');
  std::array<uint64_t, 2> halves{};
  std::memcpy(halves.data(), &odd, kBlock);
  return (halves[0] | halves[1]) == 0;
}

void AppendEscapedAscii(unsigned char c, std::string* out) {
  switch (c) {
    case '"':
      out->append("\\\"");
      return;
    case '\\':
      out->append("\\\\");
      return;
    case '\b':
      out->append("\\b");
      return;
    case '\f':
      out->append("\\f");
      return;
    case '\n':
      out->append("\\n");
      return;
    case '\r':
      out->append("\\r");
      return;
    case '\t':
      out->append("\\t");
      return;
    default:
      out->append("\\u00");
      *out += kHex[c >> 4U];
      *out += kHex[c & 0xFU];
  }
}

// Appends the character at `at`, which is not plain, and returns how many bytes it takes.
size_t AppendCharacter(std::string_view text, size_t at, std::string* out) {
  if (Byte(text, at) < 0x80) {
    AppendEscapedAscii(Byte(text, at), out);
    return 1;
  }
  const size_t length = Utf8SequenceLength(text, at);
  const std::string_view sequence = text.substr(at, length);
  if (length == 0) {
    out->append(kReplacement);
    return 1;
  }
  if (sequence == "\u2028") {
    out->append("\\u2028");
  } else if (sequence == "\u2029") {
    out->append("\\u2029");
  } else {
    out->append(sequence);
  }
  return length;
}

}  // namespace

// Names of nodes, thousands of them, are plain.
bool IsPlain(std::string_view text) {
  if (text.size() < kBlock) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return kPlain[static_cast<unsigned char>(c)]; });
  }
  for (size_t at = 0; at + kBlock <= text.size(); at += kBlock) {
    if (!BlockIsPlain(text.data() + at)) return false;
  }
  return BlockIsPlain(text.data() + text.size() - kBlock);  // overlaps the one before
}

void AppendString(std::string_view text, std::string* out) {
  if (IsPlain(text)) {
    const size_t at = out->size();
    out->resize(at + text.size() + 2, '"');
    text.copy(out->data() + at + 1, text.size());
    return;
  }
  *out += '"';
  size_t at = 0;
  while (at < text.size()) {
    size_t end = at;
    while (text.size() - end >= kBlock && BlockIsPlain(text.data() + end)) end += kBlock;
    while (end < text.size() && kPlain[Byte(text, end)]) ++end;
    out->append(text, at, end - at);
    at = end < text.size() ? end + AppendCharacter(text, end, out) : end;
  }
  *out += '"';
}

void AppendUtf8(std::string_view text, std::string* out) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t length = Byte(text, at) < 0x80 ? 1 : Utf8SequenceLength(text, at);
    out->append(length == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(at, length));
    at += std::max(length, size_t{1});
  }
}

}  // namespace outrigger::json
