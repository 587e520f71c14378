#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cel/values/arena.h"
#include "cel/values/value.h"

namespace outrigger::cel {

struct Type;
struct FunctionInfo;
enum class CostRule : uint8_t;

enum class ExprKind : uint8_t {
  kConstant,
  kIdent,
  kSelect,         // operand . name; with test_only: has(operand.name)
  kCall,           // name(args) or target.name(args); operators are calls of "_+_" and the like
  kList,           // args
  kMap,            // args: key, value, key, value
  kMessage,        // a message literal, which is no part of the subset
  kComprehension,  // see Fold
};

/// The parts of a comprehension are `args`: range, initial value of the accumulator, loop
/// condition, step, result.
enum FoldPart : uint8_t { kRange, kInit, kCondition, kStep, kResult };

/// One node of an expression. Owned by its Ast.
struct Expr {
  ExprKind kind = ExprKind::kConstant;
  bool test_only = false;
  uint16_t height = 0;  // of the text that it stands for, macros not expanded
  uint32_t offset = 0;  // of the text where an error about it is shown
  Value constant = {};
  std::string name = {};
  Expr* target = nullptr;  // of a select or a member call
  std::vector<Expr*> args = {};
  std::vector<bool> optional = {};  // per item of a list, entry of a map: written with '?'
  std::string accumulator = {};     // names of a comprehension
  std::string first_variable = {};
  std::string second_variable = {};  // empty in the form with one variable

  // Written by the checker.
  const Type* type = nullptr;
  const FunctionInfo* function = nullptr;
  CostRule cost = {};
  bool single_overload = false;
};

/// An expression and all that its nodes refer to.
class Ast {
 public:
  /// `constants` keeps the texts of literals and must outlive what is made of the tree.
  explicit Ast(Arena& constants) : constants_(constants) {}

  Ast(const Ast&) = delete;
  Ast& operator=(const Ast&) = delete;

  Expr* New(ExprKind kind, uint32_t offset);
  Expr* NewConstant(uint32_t offset, const Value& value);
  Expr* NewText(uint32_t offset, std::string_view text);
  Expr* NewIdent(uint32_t offset, std::string_view name);
  Expr* NewCall(uint32_t offset, std::string_view name, std::vector<Expr*> args,
                Expr* target = nullptr);
  /// A deep copy.
  Expr* Copy(const Expr& expr);

  Arena& constants() { return constants_; }

  /// Whether macros made it larger than kMostNodes; from then on Copy() copies no more.
  bool TooLarge() const { return nodes_.size() > kMostNodes; }

  /// optMap and optFlatMap write their operand twice, so a chain of them doubles with each.
  static constexpr size_t kMostNodes = 100'000;

 private:
  Arena& constants_;
  std::deque<Expr> nodes_;
};

/// "a.b.c" of a chain of names; empty if the expression is none.
std::string QualifiedName(const Expr& expr);

}  // namespace outrigger::cel
