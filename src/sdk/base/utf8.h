#pragma once

#include <cstddef>
#include <string_view>

namespace outrigger {

/// The length of the UTF-8 sequence at `at`, which is no ASCII character, or 0 if there is none:
/// RFC 3629, section 4.
size_t Utf8SequenceLength(std::string_view text, size_t at);

/// True if all of `text` is UTF-8; fast for ASCII.
bool IsUtf8(std::string_view text);

}  // namespace outrigger
