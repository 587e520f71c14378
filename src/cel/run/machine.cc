#include "cel/run/machine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "cel/library/text_search.h"
#include "cel/run/cost.h"
#include "cel/syntax/ast.h"
#include "cel/values/collections.h"
#include "cel/values/equality.h"
#include "cel/values/value.h"

namespace outrigger::cel {
namespace {

// A part of a value. `absent`: there is none; then the value is the error that says so.
struct Selection {
  Value value = {};
  bool absent = false;
  bool unreadable = false;  // it is there, and the value is why it cannot be read
};

Selection NoSuchKey(const Value& key) {
  const bool text = key.Is(Kind::kString);
  return {Value::Error(ErrorCode::kNoSuchKey, text ? key.text() : std::string_view()), true, false};
}

// A whole number as an index, also written as uint or double.
std::optional<int64_t> IndexOf(const Value& key) {
  if (key.Is(Kind::kInt)) return key.integer();
  if (key.Is(Kind::kUint) && key.integer() >= 0) return key.integer();
  if (!key.Is(Kind::kDouble) || std::trunc(key.number()) != key.number()) return std::nullopt;
  if (key.number() < -0x1p53 || key.number() > 0x1p53) return std::nullopt;
  return static_cast<int64_t>(key.number());
}

// The entry of a map at a key, or the item of a list at an index. Other values have no parts.
Selection Select(const Value& value, const Value& key) {
  if (value.Is(Kind::kMap)) {
    if (IsUnhashable(value, key)) return {Value::Error(ErrorCode::kUnhashableKey), false, false};
    const Value* found = FindKeyOrDefault(value, key);
    return found == nullptr ? NoSuchKey(key) : Selection{*found, false, found->IsError()};
  }
  if (!value.Is(Kind::kList)) return NoSuchKey(key);
  const std::optional<int64_t> index = IndexOf(key);
  if (!index)
    return {Value::Error(ErrorCode::kInvalidArgument, "unsupported index value"), false, false};
  if (*index < 0 || *index >= value.size())
    return {Value::Error(ErrorCode::kIndexOutOfRange), true, false};
  return {ItemsOf(value)[static_cast<size_t>(*index)], false, false};
}

constexpr size_t kMostArguments = 4;
const Value kTooCostly = Value::Error(ErrorCode::kCost, "cost limit exceeded");

bool EndsEvaluation(ErrorCode code) {
  return code == ErrorCode::kUnhashableKey || code == ErrorCode::kNotCounted ||
         code == ErrorCode::kCost;
}

// An operand of && and ||: what is no bool counts as an error.
Value AsOperand(const Value& value) {
  return value.IsError() || value.Is(Kind::kBool) ? value : NoSuchOverload();
}

}  // namespace

Value Machine::Run(const Plan& plan, std::span<const Value> variables, uint64_t limit) {
  plan_ = &plan;
  arena_.Reset();
  work_ = WorkBudget();
  cost_ = 0;
  limit_ = limit;
  stopped_ = false;
  items_.clear();
  entries_.clear();
  if (variables_.size() < plan.slot_count) variables_.resize(plan.slot_count);
  std::copy(variables.begin(), variables.end(), variables_.begin());
  fatal_ = Value();
  const Value result = Eval(At(plan.root));
  if (fatal_.IsError()) return fatal_;
  if (stopped_ || arena_.exhausted() || work_.left < 0) return kTooCostly;
  return result;
}

void Machine::Charge(uint64_t cost) {
  cost_ += cost;
  if (cost_ > limit_ || arena_.exhausted() || work_.left < 0) stopped_ = true;
}

// What is done with a long text takes time, even if it costs 1: its size, a look for it in a map.
const Value& Machine::Touch(const Value& value) {
  if (value.Is(Kind::kString) || value.Is(Kind::kBytes)) work_.SpendText(value.size());
  return value;
}

Value Machine::Eval(const Node& node) {
  if (stopped_) return kTooCostly;
  switch (node.op) {
    case Op::kConstant:
      return node.constant;
    case Op::kVariable:
      return Variable(node);
    case Op::kAttribute:
      return Attribute(node);
    case Op::kConditional:
      return Conditional(node);
    case Op::kAnd:
      return And(node);
    case Op::kOr:
      return Or(node);
    case Op::kNotStrictlyFalse:
      return NotStrictlyFalse(node);
    case Op::kEqual:
    case Op::kNotEqual:
      return Compared(node);
    case Op::kCall:
      return Call(node);
    case Op::kInSet:
      return InSet(node);
    case Op::kList:
      return List(node);
    case Op::kMap:
      return Map(node);
    case Op::kFold:
      return Fold(node);
    case Op::kOptionalOr:
    case Op::kOptionalOrValue:
      return OptionalOr(node);
  }
  return NoSuchOverload();
}

Value Machine::Variable(const Node& node) {
  if (variables_[node.slot].Is(Kind::kUnset)) {
    // The accumulator of a fold at its first use: its number is how its initial value is found.
    const auto init = static_cast<uint32_t>(variables_[node.slot].integer());
    const Value value = Eval(At(init));
    variables_[node.slot] = value;
  }
  if (node.charged) Charge(1);
  return Touch(variables_[node.slot]);
}

Value Machine::Attribute(const Node& node) {
  const Value base = EvalChild(node, 0);
  const Value value = base.IsError() ? base : Qualify(node, base);
  if (node.charged && !plan_->qualifiers[node.first_qualifier + node.qualifier_count - 1].test) {
    Charge(1);
  }
  return Touch(value);
}

Value Machine::Qualify(const Node& node, Value value) {
  bool optional = value.Is(Kind::kOptional);
  if (optional) {
    if (value.held() == nullptr) return value;
    value = *value.held();
  }
  for (uint32_t i = 0; i < node.qualifier_count; ++i) {
    const Qualifier& qualifier = plan_->qualifiers[node.first_qualifier + i];
    optional = optional || qualifier.optional;
    Value key = qualifier.constant;
    if (qualifier.node >= 0) key = Eval(At(static_cast<uint32_t>(qualifier.node)));
    const Selection part = key.IsError() ? Selection{key, false, false} : Select(value, key);
    if (qualifier.test) {
      Charge(1);
      const bool failed = part.value.IsError() && !part.absent && !part.unreadable;
      return failed ? part.value : Value::Bool(!part.absent);
    }
    // Of an optional selection only what is there costs.
    if (!optional || !part.absent) Charge(1);
    if (part.absent && optional) return Value::Optional(nullptr);
    if (part.value.IsError()) return Guarded(part.value);
    value = part.value;
  }
  if (!optional) return value;
  const Value* held = arena_.Store(value);
  return held == nullptr ? OutOfMemory() : Value::Optional(held);
}

Value Machine::Conditional(const Node& node) {
  const Value condition = EvalChild(node, 0);
  if (condition.IsTrue()) return EvalChild(node, 1);
  if (condition.IsFalse()) return EvalChild(node, 2);
  return AsOperand(condition);
}

Value Machine::And(const Node& node) {
  const Value left = EvalChild(node, 0);
  if (left.IsFalse()) return left;
  const Value right = EvalChild(node, 1);
  if (right.IsFalse()) return right;
  return left.IsTrue() ? AsOperand(right) : AsOperand(left);
}

Value Machine::Or(const Node& node) {
  const Value left = EvalChild(node, 0);
  if (left.IsTrue()) return left;
  const Value right = EvalChild(node, 1);
  if (right.IsTrue()) return right;
  return left.IsFalse() ? AsOperand(right) : AsOperand(left);
}

Value Machine::NotStrictlyFalse(const Node& node) {
  const Value value = EvalChild(node, 0);
  Charge(1);
  return Value::Bool(!value.IsFalse());
}

Value Machine::Compared(const Node& node) {
  const Value a = EvalChild(node, 0);
  const Value b = EvalChild(node, 1);
  const bool wrong = a.IsError() || b.IsError();
  const Equality equality = wrong ? Equality::kIncomparable : CompareEquality(a, b, work_);
  const std::array<Value, 2> args = {a, b};
  Charge(node.op == Op::kEqual ? CostOfEqual(a, b) : CostOf(CostRule::kTenthOfLesser, args, a));
  if (a.IsError()) return a;
  if (b.IsError()) return b;
  // What cannot be compared is no equal, but not unequal either.
  if (node.op == Op::kNotEqual) return Value::Bool(equality != Equality::kEqual);
  if (equality == Equality::kIncomparable) return NoSuchOverload("_==_");
  return Value::Bool(equality == Equality::kEqual);
}

Value Machine::Call(const Node& node) {
  std::array<Value, kMostArguments> args;
  const Value* error = nullptr;
  for (size_t i = 0; i < node.child_count; ++i) {
    args[i] = EvalChild(node, i);
    if (!args[i].IsError() || error != nullptr) continue;
    if (node.stops_at_error) return args[i];
    error = &args[i];
  }
  const std::span<const Value> used(args.data(), node.child_count);
  const Value result = error == nullptr ? Invoke(node, used) : *error;
  if (!CanBeCounted(node.rule, used)) return Guarded(Value::Error(ErrorCode::kNotCounted));
  Charge(CostOf(node.rule, used, result));
  return result;
}

Value Machine::Invoke(const Node& node, std::span<const Value> args) {
  if (node.regex != nullptr) {
    if (!args[0].Is(Kind::kString)) return NoSuchOverload("matches");
    return node.finds ? RegexFind(*node.regex, args[0].text())
                      : Value::Bool(RegexMatches(*node.regex, args[0].text()));
  }
  Evaluation evaluation{arena_, work_, regexes_, limit_ - std::min(limit_, cost_)};
  return Guarded(node.implementation(evaluation, args));
}

// An error that ends the evaluation ends it here.
Value Machine::Guarded(const Value& value) {
  if (value.IsError() && EndsEvaluation(value.code()) && !stopped_) {
    stopped_ = true;
    fatal_ = value;
  }
  return value;
}

Value Machine::InSet(const Node& node) {
  const Value value = EvalChild(node, 0);
  if (value.IsError()) return value;
  if (IsUnhashable(node.constant, value)) return Guarded(Value::Error(ErrorCode::kUnhashableKey));
  return Value::Bool(FindKey(node.constant, value) != nullptr);
}

Value Machine::List(const Node& node) {
  const size_t begin = items_.size();
  std::optional<Value> error;
  for (size_t i = 0; i < node.child_count && !error; ++i) {
    Value item = EvalChild(node, i);
    if (item.IsError()) error = item;
    if (node.optional[i] && !error) {
      if (!item.Is(Kind::kOptional))
        error = Value::Error(ErrorCode::kInvalidArgument, "no optional");
      if (error || item.held() == nullptr) continue;
      item = *item.held();
    }
    items_.push_back(item);
  }
  const Value list =
      error ? *error : MakeList(arena_, std::span<const Value>(items_).subspan(begin));
  items_.resize(begin);
  Charge(10);
  return list;
}

Value Machine::Map(const Node& node) {
  const size_t begin = entries_.size();
  std::optional<Value> error;
  for (size_t i = 0; i + 1 < node.child_count && !error; i += 2) {
    const Value key = EvalChild(node, i);
    Value value = key.IsError() ? key : EvalChild(node, i + 1);
    if (value.IsError()) error = value;
    if (node.optional[i / 2] && !error) {
      if (!value.Is(Kind::kOptional))
        error = Value::Error(ErrorCode::kInvalidArgument, "no optional");
      if (error || value.held() == nullptr) continue;
      value = *value.held();
    }
    entries_.push_back({key, value});
  }
  const Value map =
      error ? *error : MakeMap(arena_, std::span<const MapEntry>(entries_).subspan(begin));
  entries_.resize(begin);
  Charge(30);
  return map;
}

Value Machine::Fold(const Node& node) {
  const Value range = EvalChild(node, kRange);
  if (range.IsError()) return range;
  if (!range.Is(Kind::kList) && !range.Is(Kind::kMap)) return Value::Error(ErrorCode::kNotIterable);
  const bool list = range.Is(Kind::kList);
  variables_[node.slot] = Value::Unset(Child(node, kInit));
  for (uint32_t i = 0; i < range.size() && !Stopped(); ++i) {
    const Value key = list ? Value::Int(i) : range.map()->entries[i].key;
    const Value item = list ? range.list()->items[i] : range.map()->entries[i].value;
    variables_[node.slots[0]] = !node.second_variable && list ? item : key;
    variables_[node.slots[1]] = item;
    if (EvalChild(node, kCondition).IsFalse()) break;
    const Value next = EvalChild(node, kStep);
    variables_[node.slot] = next;
  }
  return Stopped() ? kTooCostly : EvalChild(node, kResult);
}

Value Machine::OptionalOr(const Node& node) {
  const Value first = EvalChild(node, 0);
  if (!first.Is(Kind::kOptional)) return first;
  if (first.held() == nullptr) return EvalChild(node, 1);
  return node.op == Op::kOptionalOr ? first : *first.held();
}

}  // namespace outrigger::cel
