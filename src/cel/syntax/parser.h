#pragma once

#include <string_view>

#include "cel/syntax/ast.h"
#include "cel/syntax/error.h"

namespace outrigger::cel {

/// Code points of the longest expression (resource.k8s.io: CELSelectorExpressionMaxLength).
inline constexpr size_t kMostCharacters = 10 * 1024;

/// Levels of the deepest nesting; a chain of operators or selections is one level an item.
inline constexpr size_t kDeepestNesting = 250;

/// Whether no variable may have this name, though fields may.
bool IsReserved(std::string_view name);

/// Reads an expression into `ast`, macros expanded. nullptr where it is wrong; then `errors` has
/// the first syntax error, or the wrong arguments of macros. `&&` and `||` chains become balanced
/// trees, so their length is not limited by nesting.
///
/// The grammar is that of the CEL specification with optional syntax (.?f, [?i], {?k: v}).
Expr* Parse(std::string_view text, Ast& ast, ErrorList& errors);

}  // namespace outrigger::cel
