#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Texts in JSON that stand for something else. Each function makes `text` canonical, or returns
// what is wrong with it, as Go says that; `text` is then as it was.

namespace outrigger::apiserver {

std::optional<std::string> ConformQuantity(std::string* text);

/// RFC 3339, in UTC and without fractions; `micro`: with exactly six digits of them. Of the zero
/// time of Go, which is null in JSON, `text` becomes empty.
std::optional<std::string> ConformTime(bool micro, std::string* text);

/// Base64 with padding.
std::optional<std::string> ConformBase64(std::string* text);

/// The canonical text of a time since 1970; empty of Go's zero time. Nothing if its year does not
/// have four digits.
std::optional<std::string> TimeText(int64_t seconds, int64_t nanoseconds, bool micro);

}  // namespace outrigger::apiserver
