#pragma once

#include <string>
#include <string_view>

namespace outrigger::json {

/// Appends `text` as a string literal with quotes, as Go's encoding/json writes it; control
/// characters are escaped and what is not UTF-8 becomes U+FFFD.
void AppendString(std::string_view text, std::string* out);

/// True if `text` is its own string literal, but for the quotes: no character of it is escaped, and
/// all are ASCII.
bool IsPlain(std::string_view text);

/// Appends `text`; each byte that is not UTF-8 becomes U+FFFD, as where Go writes JSON.
void AppendUtf8(std::string_view text, std::string* out);

/// True if all of `text` is UTF-8 (RFC 3629); fast for ASCII.
bool IsUtf8(std::string_view text);

}  // namespace outrigger::json
