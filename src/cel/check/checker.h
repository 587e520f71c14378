#pragma once

#include "cel/check/environment.h"
#include "cel/check/type.h"
#include "cel/syntax/ast.h"
#include "cel/syntax/error.h"

namespace outrigger::cel {

/// Gives each node its type and each call its function and cost rule, resolves names of types and
/// namespaced functions, and adds what does not fit to `errors`. Afterwards types that are still
/// open are dyn. The types belong to `pool` or to the program.
void Check(Expr& root, const Environment& environment, TypePool& pool, ErrorList& errors);

/// What is wrong although all types fit: lists and maps of mixed types (but as arguments of
/// format()), patterns of matches() that are no regular expressions, constants that are no
/// durations or timestamps, formats that do not suit their arguments. Other conversions of
/// constants are left to the planner, which does them.
void Validate(const Expr& root, ErrorList& errors);

}  // namespace outrigger::cel
