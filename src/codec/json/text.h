#pragma once

#include <string>
#include <string_view>

#include "sdk/base/utf8.h"

namespace outrigger::json {

/// Appends `text` as a string literal with quotes, as Go's encoding/json writes it; control
/// characters are escaped and what is not UTF-8 becomes U+FFFD.
void AppendString(std::string_view text, std::string* out);

/// True if `text` is its own string literal, but for the quotes: no character of it is escaped, and
/// all are ASCII.
bool IsPlain(std::string_view text);

/// Appends `text`; each byte that is not UTF-8 becomes U+FFFD, as where Go writes JSON.
void AppendUtf8(std::string_view text, std::string* out);

using outrigger::IsUtf8;

}  // namespace outrigger::json
