#include "cel/evaluator.h"

#include <string_view>

#include "cel/values/concat.h"

namespace outrigger::cel {
namespace {

std::string_view WhatOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNoSuchOverload:
      return "no such overload";
    case ErrorCode::kNoSuchKey:
      return "no such key";
    case ErrorCode::kIndexOutOfRange:
      return "index out of range";
    case ErrorCode::kDivisionByZero:
      return "division by zero";
    case ErrorCode::kModulusByZero:
      return "modulus by zero";
    case ErrorCode::kOverflow:
      return "integer overflow";
    case ErrorCode::kConversion:
      return "cannot convert to";
    case ErrorCode::kEmptyList:
      return "called on an empty list";
    case ErrorCode::kNoneDereferenced:
      return "optional.none() dereference";
    case ErrorCode::kInvalidArgument:
      return "invalid argument";
    case ErrorCode::kNotIterable:
      return "neither a list nor a map";
    case ErrorCode::kDuplicateKey:
      return "the key is in the map already";
    case ErrorCode::kUnhashableKey:
      return "bytes, versions and formats cannot be looked for in a map";
    case ErrorCode::kNotCounted:
      return "the argument of a function is no list";
    case ErrorCode::kCost:
      return "stopped";
  }
  return "failed";
}

}  // namespace

Verdict Evaluator::Evaluate(const Program& program, const Device& device) {
  return Evaluate(program, {&device.value(), 1});
}

Verdict Evaluator::Evaluate(const Program& program, std::span<const Value> variables) {
  value_ = machine_.Run(program.plan(), variables, limit_);
  if (value_.Is(Kind::kBool)) return value_.boolean() ? Verdict::kTrue : Verdict::kFalse;
  if (!value_.IsError()) return Verdict::kNotBool;
  return value_.code() == ErrorCode::kCost ? Verdict::kCost : Verdict::kFailed;
}

std::string Evaluator::Reason() const {
  if (value_.Is(Kind::kBool)) return "";
  if (!value_.IsError()) {
    return Concat("the result is of type ", TypeNameOf(value_), ", not bool");
  }
  const std::string_view detail = value_.text();
  return Concat(WhatOf(value_.code()), detail.empty() ? "" : ": ", detail);
}

}  // namespace outrigger::cel
