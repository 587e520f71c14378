#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cel/library/function.h"
#include "cel/run/plan.h"
#include "cel/values/arena.h"
#include "cel/values/collections.h"
#include "cel/values/value.h"

namespace outrigger::cel {

/// Runs plans. Keeps its memory from one run to the next, so that it need not be allocated again.
/// Not thread-safe.
class Machine {
 public:
  /// The value of a plan for the values of its environment's variables, or the error. It refers to
  /// the machine's memory, the plan and the variables, and is valid until the next run. An error of
  /// code kCost: the run cost more than `limit`, or needed too much memory or work.
  Value Run(const Plan& plan, std::span<const Value> variables, uint64_t limit);

  /// What the last run cost.
  uint64_t cost() const { return cost_; }
  /// Steps of its work that costs do not count: comparisons of nested values, reading of long
  /// texts.
  uint64_t work() const { return static_cast<uint64_t>(WorkBudget().left - work_.left); }

 private:
  const Node& At(uint32_t number) const { return plan_->nodes[number]; }
  uint32_t Child(const Node& node, size_t i) const { return plan_->children[node.first_child + i]; }
  Value EvalChild(const Node& node, size_t i) { return Eval(At(Child(node, i))); }
  void Charge(uint64_t cost);
  const Value& Touch(const Value& value);
  bool Stopped() const { return stopped_; }

  Value Eval(const Node& node);
  Value Variable(const Node& node);
  Value Attribute(const Node& node);
  Value Qualify(const Node& node, Value value);
  Value Conditional(const Node& node);
  Value And(const Node& node);
  Value Or(const Node& node);
  Value NotStrictlyFalse(const Node& node);
  Value Compared(const Node& node);
  Value Call(const Node& node);
  Value Invoke(const Node& node, std::span<const Value> args);
  Value Guarded(const Value& value);
  Value InSet(const Node& node);
  Value List(const Node& node);
  Value Map(const Node& node);
  Value Fold(const Node& node);
  Value OptionalOr(const Node& node);

  const Plan* plan_ = nullptr;
  Arena arena_;
  WorkBudget work_;
  RegexCache regexes_;
  std::vector<Value> variables_;
  std::vector<Value> items_;       // of lists that are being made
  std::vector<MapEntry> entries_;  // of maps that are being made
  uint64_t cost_ = 0;
  uint64_t limit_ = 0;
  bool stopped_ = false;
  Value fatal_;  // the error that stopped it, if it was not the cost
};

}  // namespace outrigger::cel
