#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace outrigger::penalty {

/// The number that the whole text is; nothing for what is no number, infinite or not a number.
std::optional<double> NumberOf(std::string_view text);
/// The integer that the whole text is; nothing for another text, and beyond 64 bits.
std::optional<int64_t> IntegerOf(std::string_view text);
/// The text in quotes, printable and short, for messages.
std::string Quoted(std::string_view text);

}  // namespace outrigger::penalty
