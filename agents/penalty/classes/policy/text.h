#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "penalty/classes/time.h"

namespace outrigger::penalty {

/// The number that the whole text is; nothing for what is no number, infinite or not a number.
std::optional<double> NumberOf(std::string_view text);
/// The integer that the whole text is; nothing for another text, and beyond 64 bits.
std::optional<int64_t> IntegerOf(std::string_view text);
/// "2026-11-25T21:49:49.123Z".
std::string TimeText(Millis time);
/// Reads what TimeText() writes, from 1970 to kEndOfTime.
std::optional<Millis> TimeOf(std::string_view text);
/// Returns the next word of `text`, which begins after it then. Words are parted by one blank.
std::string_view TakeWord(std::string_view* text);
/// The text in quotes, printable and short, for messages.
std::string Quoted(std::string_view text);

}  // namespace outrigger::penalty
