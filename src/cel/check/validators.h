#pragma once

#include "cel/syntax/ast.h"
#include "cel/syntax/error.h"

namespace outrigger::cel {

/// What is wrong although all types fit: lists and maps of mixed types (but as arguments of
/// format()), patterns of matches() that are no regular expressions, constants that are no
/// durations or timestamps, formats that do not suit their arguments. Other conversions of
/// constants are left to the planner, which does them.
void Validate(const Expr& root, ErrorList& errors);

}  // namespace outrigger::cel
