#pragma once

#include <string_view>
#include <vector>

#include "cel/syntax/error.h"
#include "cel/syntax/token.h"

namespace outrigger::cel {

/// The tokens of `text`, the last one kEnd; blanks and comments (//) are left out. What is no token
/// is added to `errors`. The tokens refer to `text`.
std::vector<Token> Tokenize(std::string_view text, ErrorList& errors);

}  // namespace outrigger::cel
