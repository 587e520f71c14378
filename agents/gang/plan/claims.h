#pragma once

#include <span>

#include "gang/plan/unit.h"
#include "outrigger/k8s/claims.h"

namespace outrigger::plan {

/// Puts into members without a pin what their claims ask of a node, and into units whether a claim
/// is still open. A claim that is not in `claims` asks nothing: kube-scheduler judges it.
void PinToClaims(const ClaimTable& claims, std::span<Unit> units);

}  // namespace outrigger::plan
