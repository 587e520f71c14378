#pragma once

#include <cstddef>
#include <vector>

#include "devices/dra/plan.h"

namespace outrigger::dra {

/// The devices that one constraint has seen. As upstream's constraint types, v0.37.
class ConstraintState {
 public:
  /// `constraint` outlives it.
  explicit ConstraintState(const Constraint& constraint) : constraint_(&constraint) {}

  /// False: the device does not suit those that are there. True: it is one of them now.
  bool Add(const AskPlan& ask, const Spot& spot);
  /// Takes back the last one that was added.
  void Remove(const AskPlan& ask);

 private:
  bool IsOf(const AskPlan& ask) const;

  const Constraint* constraint_;
  std::vector<const AttributeValue*> values_;
};

}  // namespace outrigger::dra
