#pragma once

#include "cel/run/plan.h"
#include "cel/syntax/ast.h"
#include "cel/syntax/error.h"

namespace outrigger::cel {

/// Turns a checked expression into steps. What is constant is computed here: lists and maps of
/// constants, conversions of them (a failure is added to `errors`), patterns. Which parts upstream
/// computes in advance decides what an evaluation costs, so no more is.
Plan MakePlan(const Expr& root, Arena& constants, ErrorList& errors);

}  // namespace outrigger::cel
