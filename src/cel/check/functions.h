#pragma once

#include <string>
#include <string_view>

#include "cel/check/signature.h"

namespace outrigger::cel {

/// The function of this name, with its namespace ("sets.contains"), nullptr if there is none. Valid
/// as long as the program runs.
const FunctionInfo* FindFunction(std::string_view name);

/// The function or macro whose name is most like `name`, empty if none is alike.
std::string_view SimilarFunction(std::string_view name);

}  // namespace outrigger::cel
