#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cel/syntax/token.h"
#include "cel/values/value.h"

namespace outrigger::cel {

/// The characters that a token of kind kString or kBytes stands for. Nothing, and `why`, where an
/// escape is none: \x41 and \101 are code points in texts but bytes in bytes, \u and \U are for
/// texts only.
std::optional<std::string> Unescape(const Token& token, std::string& why);

/// The number of a token of kind kInt, kUint or kDouble, negative if `negative`. Nothing where it
/// does not fit.
std::optional<Value> NumberOf(const Token& token, bool negative);

}  // namespace outrigger::cel
