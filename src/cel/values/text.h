#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace outrigger::cel {

/// Code points of valid UTF-8; of anything else the bytes that do not continue a code point.
size_t CountCodePoints(std::string_view text);

/// Where in `text` the code point number `index` begins; the text's size if it has fewer.
size_t OffsetOfCodePoint(std::string_view text, size_t index);

/// Bytes of the code point that begins `text`, 1 where it is not valid UTF-8; 0 of an empty text.
size_t LengthOfCodePoint(std::string_view text);

/// Appends the UTF-8 of `code`, which must be at most 0x10FFFF.
void AppendCodePoint(std::string& out, uint32_t code);

bool IsValidUtf8(std::string_view text);

}  // namespace outrigger::cel
