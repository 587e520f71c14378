#pragma once

#include <optional>
#include <string>

#include "board.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/plan/unit.h"

namespace outrigger::gang {

/// A warning about a gang: about its object, or, where it has none, about the first of its pods by
/// name, so that `kubectl describe` shows it. Nothing for a gang that has neither on the board.
std::optional<ClusterEvent> GangEvent(const Board& board, const plan::UnitKey& gang,
                                      std::string reason, std::string note);

}  // namespace outrigger::gang
