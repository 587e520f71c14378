#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cel/device.h"
#include "cel/program.h"
#include "cel/run/machine.h"
#include "cel/values/value.h"

namespace outrigger::cel {

/// What an expression says of a device.
enum class Verdict : uint8_t {
  kFalse,
  kTrue,
  kFailed,   // an operation failed
  kCost,     // it costs more than allowed, or needs too much memory
  kNotBool,  // the result is of another type
};

/// Evaluates programs, one after the other, without allocating memory once it has what it needs.
/// Not thread-safe: one for each thread.
class Evaluator {
 public:
  /// resource.k8s.io: CELSelectorExpressionMaxCost.
  static constexpr uint64_t kCostLimit = 1'000'000;

  explicit Evaluator(uint64_t cost_limit = kCostLimit) : limit_(cost_limit) {}

  Verdict Evaluate(const Program& program, const Device& device);
  /// For the values of the environment's variables, in its order.
  Verdict Evaluate(const Program& program, std::span<const Value> variables);

  /// Why the last evaluation was neither true nor false; empty if it was. The program and the
  /// device must still be there.
  std::string Reason() const;

  /// What the last evaluation cost, counted as upstream counts it (docs/cel.md).
  uint64_t cost() const { return machine_.cost(); }

  /// What else it had to do, in steps that take about as long as one of cost (Machine::work()).
  uint64_t work() const { return machine_.work(); }

  /// The value of the last evaluation. Valid until the next one.
  const Value& value() const { return value_; }

 private:
  Machine machine_;
  Value value_;
  uint64_t limit_;
};

}  // namespace outrigger::cel
