#include <array>

#include "cel/library/function.h"
#include "cel/values/collections.h"

namespace outrigger::cel {
namespace optionals {
namespace {

using Args = std::span<const Value>;

bool IsZero(const Value& value) {
  switch (value.kind()) {
    case Kind::kNull:
      return true;
    case Kind::kBool:
      return !value.boolean();
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDuration:
      return value.integer() == 0;
    case Kind::kDouble:
      return value.number() == 0;
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kList:
    case Kind::kMap:
      return value.size() == 0;
    case Kind::kOptional:
      return value.held() == nullptr;
    default:
      return false;
  }
}

Value Of(Evaluation& evaluation, Args args) {
  return NewOptional(evaluation, args[0]);
}
Value OfNonZero(Evaluation& evaluation, Args args) {
  return IsZero(args[0]) ? Value::Optional(nullptr) : NewOptional(evaluation, args[0]);
}
Value None(Evaluation&, Args) {
  return Value::Optional(nullptr);
}

Value Held(Evaluation&, Args args) {
  if (!args[0].Is(Kind::kOptional)) return NoSuchOverload("value");
  return args[0].held() == nullptr ? Value::Error(ErrorCode::kNoneDereferenced) : *args[0].held();
}
Value HasValue(Evaluation&, Args args) {
  if (!args[0].Is(Kind::kOptional)) return NoSuchOverload("hasValue");
  return Value::Bool(args[0].held() != nullptr);
}

// The interpreter decides these two: the second operand is computed only if it is needed.
Value Special(Evaluation&, Args) {
  return NoSuchOverload();
}

Value First(Evaluation& evaluation, Args args) {
  if (!args[0].Is(Kind::kList)) return NoSuchOverload("first");
  const auto items = ItemsOf(args[0]);
  return items.empty() ? Value::Optional(nullptr) : NewOptional(evaluation, items.front());
}
Value Last(Evaluation& evaluation, Args args) {
  if (!args[0].Is(Kind::kList)) return NoSuchOverload("last");
  const auto items = ItemsOf(args[0]);
  return items.empty() ? Value::Optional(nullptr) : NewOptional(evaluation, items.back());
}

Value Unwrap(Evaluation& evaluation, Args args) {
  if (!args[0].Is(Kind::kList)) return NoSuchOverload("unwrap");
  Value result = Value::List(nullptr, 0);
  for (const Value& item : ItemsOf(args[0])) {
    if (!item.Is(Kind::kOptional)) {
      return Value::Error(ErrorCode::kInvalidArgument, "unwrap needs optional values");
    }
    if (item.held() != nullptr) result = AppendedList(evaluation.arena, result, {item.held(), 1});
    if (result.IsError()) return result;
  }
  return result;
}

constexpr std::array kRows = {
    FunctionRow{"optional.of", "A>optional(A)", Of},
    FunctionRow{"optional.ofNonZeroValue", "A>optional(A)", OfNonZero},
    FunctionRow{"optional.none", ">optional(A)", None},
    FunctionRow{"value", ".optional(A)>A", Held},
    FunctionRow{"hasValue", ".optional(A)>bool", HasValue},
    FunctionRow{"or", ".optional(A),optional(A)>optional(A)", Special},
    FunctionRow{"orValue", ".optional(A),A>A", Special},
    FunctionRow{"_?._", "dyn,string>optional(A)", Special},
    FunctionRow{"first", ".list(A)>optional(A)", First},
    FunctionRow{"last", ".list(A)>optional(A)", Last},
    FunctionRow{"optional.unwrap", "list(optional(A))>list(A)", Unwrap},
    FunctionRow{"unwrapOpt", ".list(optional(A))>list(A)", Unwrap},
};

}  // namespace
}  // namespace optionals

std::span<const FunctionRow> OptionalFunctions() {
  return optionals::kRows;
}

}  // namespace outrigger::cel
