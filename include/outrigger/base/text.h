#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace outrigger {

/// `text` without the white space (blank, tab, CR, LF) at both ends.
std::string_view Trimmed(std::string_view text);

/// The parts of "a,b,c", white space around them cut; empty parts are kept.
std::vector<std::string> SplitList(std::string_view text);

/// `text` with control characters as \xNN, so that what is printed of it cannot steer a terminal.
std::string Printable(std::string_view text);

/// `text` as valid UTF-8 of at most `longest` bytes (3 or more): what is not UTF-8 is replaced by
/// U+FFFD, what is too long is cut between characters and ends in "...".
std::string Shortened(std::string_view text, size_t longest);

}  // namespace outrigger
