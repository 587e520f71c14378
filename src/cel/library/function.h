#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cel/library/regex_cache.h"
#include "cel/values/arena.h"
#include "cel/values/equality.h"
#include "cel/values/value.h"

namespace outrigger::cel {

/// How the cost of a call is counted, by its arguments and result (cel-go's runtimecost.go and
/// ext/lists.go, Kubernetes' library/cost.go). size is SizeOf(); everything is rounded up.
enum class CostRule : uint8_t {
  kNone,             // no rule: another one decides, in the end 1
  kOne,              //
  kTraversal,        // one an item of the first argument, a tenth a byte of its texts
  kTenthOfFirst,     // size of the first / 10
  kFifthOfFirst,     //
  kFifthOfResult,    //
  kTenthOfLesser,    // the lesser size of the two / 10
  kTenthOfSum,       // the sum of both sizes / 10
  kSecond,           // size of the second
  kProductOfTenths,  // (size / 10) x (size / 10)
  kRegex,            // ((size + 1) / 10) x (size of the pattern / 4)
  kValidate,         // kRegex with the pattern's size of the named format
  kContainsIp,       //
  kContainsCidr,     //
  kResultList,       // 11 + size of the result
  kFlatten,          // 11 + depth x size
  kSelfCompare,      // 11 + 2 x size squared of the first, 2.1 for texts
  kSelfCompareKeys,  // the same of the second
  kSets,             // 1 + size x size
  kSetsTwice,        // 1 + 2 x size x size
};

/// What an implementation works with.
struct Evaluation {
  Arena& arena;         // for what the result refers to
  WorkBudget& work;     // ends comparisons of values that share parts many times over
  RegexCache& regexes;  // of patterns that are not constant
  uint64_t cost_left;   // what the call may cost
};

/// Computes a function of arguments of which none is an error. Kinds are not checked before: one
/// that no overload accepts gives kNoSuchOverload.
using Implementation = Value (*)(Evaluation& evaluation, std::span<const Value> args);

/// One function with all its overloads.
struct FunctionRow {
  std::string_view name;
  /// "int,int>int | .list(A),A>bool $sum": arguments and result of each; a member function's begins
  /// with a dot, `$` names the cost rule of the overload (see check/functions.h). "{cmp}" stands in
  /// turn for each type that can be sorted, "{sum}" for each that can be added up.
  std::string_view overloads;
  Implementation implementation;
  CostRule rule = CostRule::kNone;  // goes before the overload's
};

/// All functions, by the rooms of the standard and its extensions.
std::span<const FunctionRow> OperatorFunctions();
std::span<const FunctionRow> ConversionFunctions();
std::span<const FunctionRow> StringFunctions();
std::span<const FunctionRow> ListFunctions();
std::span<const FunctionRow> TimeFunctions();
std::span<const FunctionRow> OptionalFunctions();
std::span<const FunctionRow> QuantityFunctions();
std::span<const FunctionRow> SemverFunctions();
std::span<const FunctionRow> NetworkFunctions();
std::span<const FunctionRow> FormatFunctions();

inline Value NoSuchOverload(std::string_view function = {}) {
  return Value::Error(ErrorCode::kNoSuchOverload, function);
}
inline Value OutOfMemory() {
  return Value::Error(ErrorCode::kCost, "memory limit exceeded");
}

/// A text in the arena.
inline Value NewText(Evaluation& evaluation, std::string_view text) {
  const std::string_view stored = evaluation.arena.StoreText(text);
  return stored.size() == text.size() ? Value::String(stored) : OutOfMemory();
}

/// An optional that holds `value`.
inline Value NewOptional(Evaluation& evaluation, const Value& value) {
  const Value* held = evaluation.arena.Store(value);
  return held == nullptr ? OutOfMemory() : Value::Optional(held);
}

}  // namespace outrigger::cel
