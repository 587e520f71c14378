#pragma once

#include <string_view>
#include <vector>

#include "cel/syntax/ast.h"
#include "cel/syntax/error.h"

namespace outrigger::cel {

/// A call as it is written, before it is known whether it is a macro.
struct WrittenCall {
  uint32_t offset = 0;
  std::string_view name = {};
  Expr* target = nullptr;  // nullptr of name(args)
  std::vector<Expr*> args = {};
};

/// The expression that a macro (has, all, exists, exists_one, map, filter, transformList,
/// transformMap, transformMapEntry, sortBy, optMap, optFlatMap, cel.bind) stands for, nullptr if
/// the call is no macro. Wrong arguments of a macro are added to `errors`.
Expr* ExpandMacro(Ast& ast, ErrorList& errors, const WrittenCall& call);

}  // namespace outrigger::cel
