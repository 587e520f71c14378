#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace outrigger {

/// The candidate that was probably meant by `text`: the one with the fewest edits (insert, delete,
/// replace, swap), or empty if even that is too far off to be a slip.
std::string Nearest(std::string_view text, const std::vector<std::string>& candidates);

}  // namespace outrigger
