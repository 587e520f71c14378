#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cel/check/environment.h"
#include "cel/check/signature.h"

namespace outrigger::cel {

/// "found no matching overload for '_>_' applied to '(int, string)'" and what would be right.
std::string NoMatchingOverload(const FunctionInfo& function, std::span<const Type* const> arguments,
                               bool member);

/// "undeclared reference to 'name'" and what is known that is like it.
std::string UndeclaredFunction(std::string_view name);
std::string UndeclaredName(std::string_view name, const Environment& environment);

/// "undefined field 'name'" and which fields there are.
std::string UndefinedField(std::string_view name, const Environment& environment);

}  // namespace outrigger::cel
