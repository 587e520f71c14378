#include <array>
#include <optional>

#include "absl/status/statusor.h"
#include "cel/library/function.h"
#include "cel/values/semver.h"
#include "outrigger/k8s/quantity.h"

namespace outrigger::cel {
namespace quantities {
namespace {

using Args = std::span<const Value>;

Value NewQuantity(Evaluation& evaluation, const Quantity& quantity, bool computed) {
  const Quantity* stored = evaluation.arena.Store(quantity);
  return stored == nullptr ? OutOfMemory() : Value::Of(stored, computed);
}

Value FromText(Evaluation& evaluation, Args args) {
  if (!args[0].Is(Kind::kString)) return NoSuchOverload("quantity");
  const auto parsed = Quantity::Parse(args[0].text());
  if (!parsed.ok()) return Value::Error(ErrorCode::kConversion, "quantity");
  return NewQuantity(evaluation, *parsed, false);
}

Value IsQuantity(Evaluation&, Args args) {
  if (!args[0].Is(Kind::kString)) return NoSuchOverload("isQuantity");
  return Value::Bool(Quantity::Parse(args[0].text()).ok());
}

Value Sign(Evaluation&, Args args) {
  if (!args[0].Is(Kind::kQuantity)) return NoSuchOverload("sign");
  const Quantity& quantity = args[0].quantity();
  return Value::Int(quantity.IsZero() ? 0 : quantity < Quantity() ? -1 : 1);
}

Value IsInteger(Evaluation&, Args args) {
  if (!args[0].Is(Kind::kQuantity)) return NoSuchOverload("isInteger");
  return Value::Bool(args[0].quantity().AsInt64().has_value());
}
Value AsInteger(Evaluation&, Args args) {
  if (!args[0].Is(Kind::kQuantity)) return NoSuchOverload("asInteger");
  const std::optional<int64_t> integer = args[0].quantity().AsInt64();
  return integer ? Value::Int(*integer) : Value::Error(ErrorCode::kConversion, "integer");
}
Value AsFloat(Evaluation&, Args args) {
  if (!args[0].Is(Kind::kQuantity)) return NoSuchOverload("asApproximateFloat");
  return Value::Double(args[0].quantity().ToDouble());
}

// The second operand of add and sub: a quantity, or an integer.
std::optional<Quantity> Operand(const Value& value) {
  if (value.Is(Kind::kQuantity)) return value.quantity();
  if (!value.Is(Kind::kInt)) return std::nullopt;
  return Quantity::FromInt(value.integer(), Quantity::Format::kDecimalExponent);
}
Value Add(Evaluation& evaluation, Args args) {
  const auto other = Operand(args[1]);
  if (!args[0].Is(Kind::kQuantity) || !other) return NoSuchOverload("add");
  return NewQuantity(evaluation, args[0].quantity() + *other, true);
}
Value Sub(Evaluation& evaluation, Args args) {
  const auto other = Operand(args[1]);
  if (!args[0].Is(Kind::kQuantity) || !other) return NoSuchOverload("sub");
  return NewQuantity(evaluation, args[0].quantity() - *other, true);
}

// The order of two quantities or two versions.
std::optional<std::strong_ordering> Order(Args args) {
  if (args[0].kind() != args[1].kind()) return std::nullopt;
  if (args[0].Is(Kind::kQuantity)) return args[0].quantity() <=> args[1].quantity();
  if (args[0].Is(Kind::kSemver)) return CompareSemver(args[0].semver(), args[1].semver());
  return std::nullopt;
}
Value IsGreater(Evaluation&, Args args) {
  const auto order = Order(args);
  return order ? Value::Bool(std::is_gt(*order)) : NoSuchOverload("isGreaterThan");
}
Value IsLess(Evaluation&, Args args) {
  const auto order = Order(args);
  return order ? Value::Bool(std::is_lt(*order)) : NoSuchOverload("isLessThan");
}
Value CompareTo(Evaluation&, Args args) {
  const auto order = Order(args);
  if (!order) return NoSuchOverload("compareTo");
  return Value::Int(std::is_lt(*order) ? -1 : std::is_gt(*order) ? 1 : 0);
}

constexpr std::array kRows = {
    FunctionRow{"quantity", "string>quantity", FromText, CostRule::kTenthOfFirst},
    FunctionRow{"isQuantity", "string>bool", IsQuantity, CostRule::kTenthOfFirst},
    FunctionRow{"sign", "quantity>int", Sign, CostRule::kOne},
    FunctionRow{"isInteger", ".quantity>bool", IsInteger, CostRule::kOne},
    FunctionRow{"asInteger", ".quantity>int", AsInteger, CostRule::kOne},
    FunctionRow{"asApproximateFloat", ".quantity>double", AsFloat, CostRule::kOne},
    FunctionRow{"add", ".quantity,quantity>quantity | .quantity,int>quantity", Add, CostRule::kOne},
    FunctionRow{"sub", ".quantity,quantity>quantity | .quantity,int>quantity", Sub, CostRule::kOne},
    FunctionRow{"isGreaterThan", ".quantity,quantity>bool | .semver,semver>bool", IsGreater,
                CostRule::kOne},
    FunctionRow{"isLessThan", ".quantity,quantity>bool | .semver,semver>bool", IsLess,
                CostRule::kOne},
    FunctionRow{"compareTo", ".quantity,quantity>int | .semver,semver>int", CompareTo,
                CostRule::kOne},
};

}  // namespace
}  // namespace quantities

std::span<const FunctionRow> QuantityFunctions() {
  return quantities::kRows;
}

}  // namespace outrigger::cel
