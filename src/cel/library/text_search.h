#pragma once

#include <cstdint>
#include <string_view>

#include "cel/library/function.h"

namespace outrigger::cel {

/// Without white space (as Unicode has it) at both ends.
std::string_view TrimSpace(std::string_view text);

/// `text` with at most `most` (all below 0) of `old` replaced. An empty `old` is found before each
/// code point and at the end.
Value ReplaceText(Evaluation& evaluation, std::string_view text, std::string_view old,
                  std::string_view replacement, int64_t most);

/// The parts of `text` between separators, at most `most` of them (any number below 0; none at 0),
/// the last one with what is left. An empty separator divides into code points.
Value SplitText(Evaluation& evaluation, std::string_view text, std::string_view separator,
                int64_t most);

/// Where `wanted` begins in `text`, in code points, from `offset` on; -1 if nowhere.
Value IndexOfText(std::string_view text, std::string_view wanted, int64_t offset);

/// The last place of `wanted` at or before `offset` (nothing: anywhere).
Value LastIndexOfText(std::string_view text, std::string_view wanted, const int64_t* offset);

bool RegexMatches(const re2::RE2& regex, std::string_view text);
/// The first match, empty if there is none.
Value RegexFind(const re2::RE2& regex, std::string_view text);
/// The matches that do not overlap, at most `most` (all below 0).
Value RegexFindAll(Evaluation& evaluation, const re2::RE2& regex, std::string_view text,
                   int64_t most);

}  // namespace outrigger::cel
