#include "cel/syntax/ast.h"

#include <utility>

#include "cel/values/concat.h"

namespace outrigger::cel {

Expr* Ast::New(ExprKind kind, uint32_t offset) {
  Expr& expr = nodes_.emplace_back();
  expr.kind = kind;
  expr.offset = offset;
  return &expr;
}

Expr* Ast::NewConstant(uint32_t offset, const Value& value) {
  Expr* expr = New(ExprKind::kConstant, offset);
  expr->constant = value;
  return expr;
}

Expr* Ast::NewText(uint32_t offset, std::string_view text) {
  return NewConstant(offset, Value::String(constants_.StoreText(text)));
}

Expr* Ast::NewIdent(uint32_t offset, std::string_view name) {
  Expr* expr = New(ExprKind::kIdent, offset);
  expr->name = name;
  return expr;
}

Expr* Ast::NewCall(uint32_t offset, std::string_view name, std::vector<Expr*> args, Expr* target) {
  Expr* expr = New(ExprKind::kCall, offset);
  expr->name = name;
  expr->args = std::move(args);
  expr->target = target;
  return expr;
}

Expr* Ast::Copy(const Expr& expr) {
  Expr* copy = New(expr.kind, expr.offset);
  *copy = expr;
  if (TooLarge()) {
    copy->args.clear();
    copy->target = nullptr;
    copy->kind = ExprKind::kConstant;
    return copy;
  }
  if (expr.target != nullptr) copy->target = Copy(*expr.target);
  for (Expr*& arg : copy->args) arg = Copy(*arg);
  return copy;
}

std::string QualifiedName(const Expr& expr) {
  if (expr.kind == ExprKind::kIdent) return expr.name;
  if (expr.kind != ExprKind::kSelect || expr.test_only) return "";
  const std::string prefix = QualifiedName(*expr.target);
  return prefix.empty() ? "" : Concat(prefix, ".", expr.name);
}

}  // namespace outrigger::cel
