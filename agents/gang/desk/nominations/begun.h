#pragma once

#include <span>

#include "gang/plan/planner.h"
#include "gang/plan/unit.h"

// Units of which kube-scheduler has a pod already, where nothing holds it back afterwards.

namespace outrigger::desk {

/// True if a pod of the unit is bound, or waits without a gate.
bool HasBegun(const plan::Unit& unit);

/// Units that have begun and do not fit are given the nodes again that kube-scheduler has refused
/// them: it may take one later that it did not know to be free yet, and until then no other pod is
/// to have the place. True if there is any: then another plan is to be made of `units`.
bool GiveRefusedNodes(const plan::Plan& plan, std::span<plan::Unit> units);

}  // namespace outrigger::desk
