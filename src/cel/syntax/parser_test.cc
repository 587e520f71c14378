#include "cel/syntax/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cel/syntax/ast.h"
#include "cel/syntax/error.h"
#include "cel/values/arena.h"

namespace outrigger::cel {
namespace {

using ::testing::HasSubstr;

// The tree as calls: "_+_(1, _*_(2, 3))".
std::string Show(const Expr& expr) {
  std::string text;
  if (expr.target != nullptr) text = Show(*expr.target) + ".";
  if (expr.kind == ExprKind::kConstant && expr.constant.Is(Kind::kInt)) {
    return std::to_string(expr.constant.integer());
  }
  if (expr.kind == ExprKind::kConstant) return text + std::string(expr.constant.text());
  if (expr.kind == ExprKind::kComprehension) text += "fold";
  text += expr.name + (expr.test_only ? "?" : "");
  if (expr.kind == ExprKind::kIdent || expr.kind == ExprKind::kSelect) return text;
  text += "(";
  for (const Expr* arg : expr.args) text += (arg == expr.args[0] ? "" : ", ") + Show(*arg);
  return text + ")";
}

std::string Tree(std::string_view text) {
  Arena arena;
  Ast ast(arena);
  ErrorList errors;
  const Expr* root = Parse(text, ast, errors);
  return root == nullptr ? errors.errors()[0].message : Show(*root);
}

TEST(Parser, OperatorsBindAsInC) {
  EXPECT_EQ(Tree("1 + 2 * 3"), "_+_(1, _*_(2, 3))");
  EXPECT_EQ(Tree("a || b && !c == d"), "_||_(a, _&&_(b, _==_(!_(c), d)))");
  EXPECT_EQ(Tree("1 - 2 - 3"), "_-_(_-_(1, 2), 3)");
  EXPECT_EQ(Tree("a ? b : c ? d : e"), "_?_:_(a, b, _?_:_(c, d, e))");
  EXPECT_EQ(Tree("a in b"), "@in(a, b)");
  EXPECT_EQ(Tree("-1"), "-1");
  EXPECT_EQ(Tree("-a"), "-_(a)");
  EXPECT_EQ(Tree("--a"), "a");
}

TEST(Parser, MembersIndexesAndCalls) {
  EXPECT_EQ(Tree("a.b[1].c(d)"), "_[_](a.b, 1).c(d)");
  EXPECT_EQ(Tree("a.?b[?1]"), "_[?_](_?._(a, b), 1)");
  EXPECT_EQ(Tree("f(1, x)"), "f(1, x)");
  EXPECT_EQ(Tree("[1, 2,]"), "(1, 2)");
  EXPECT_EQ(Tree("{'a': 1}"), "(a, 1)");
  EXPECT_EQ(Tree("has(a.b)"), "a.b?");
}

TEST(Parser, LongChainsOfLogicAreBalanced) {
  EXPECT_EQ(Tree("a && b && c && d"), "_&&_(_&&_(a, b), _&&_(c, d))");
}

TEST(Parser, MacrosExpand) {
  EXPECT_THAT(Tree("a.all(x, x)"), HasSubstr("fold"));
  EXPECT_EQ(Tree("a.all(x)"), "a.all(x)") << "with other arguments it is a function";
  EXPECT_THAT(Tree("a.all(1, x)"), HasSubstr("argument must be a simple name"));
  EXPECT_THAT(Tree("has(1)"), HasSubstr("has(a.b) needs a field"));
  EXPECT_THAT(Tree("a.all(x, x, true)"), HasSubstr("duplicate variable name"));
  EXPECT_THAT(Tree("a.all(__result__, true)"), HasSubstr("overwrites accumulator"));
}

TEST(Parser, ErrorsSayWhatWasExpected) {
  EXPECT_THAT(Tree("(1"), HasSubstr("found the end, expected ')'"));
  EXPECT_THAT(Tree("[1, 2"), HasSubstr("expected ',' or ']'"));
  EXPECT_THAT(Tree("1 2"), HasSubstr("found '2', expected an operator or the end"));
  EXPECT_THAT(Tree("a.in"), HasSubstr("expected the name of a field or function"));
  EXPECT_THAT(Tree("for"), HasSubstr("reserved identifier: for"));
  EXPECT_THAT(Tree("a ? b"), HasSubstr("expected ':'"));
  EXPECT_THAT(Tree("99999999999999999999"), HasSubstr("does not fit 64 bits"));
  EXPECT_THAT(Tree(""), HasSubstr("found the end"));
}

}  // namespace
}  // namespace outrigger::cel
