#pragma once

#include <span>
#include <string>

#include "desk/calls/place_moves.h"
#include "outrigger/agent/request.h"
#include "outrigger/agent/verdict.h"
#include "outrigger/desk/board.h"

namespace outrigger::desk {

/// What a filter call came to, for who plans.
struct Admission {
  enum class Outcome {
    kPasses,      ///< a pod that is not planned, or a single one that is let go
    kReserved,    ///< the reserved node is the answer
    kMoved,       ///< a node that is as good as the reserved one, which is not offered
    kNotOffered,  ///< there is a reservation, but its node is not in the offer
    kWaits,       ///< rejected everywhere
  };
  Outcome outcome = Outcome::kPasses;
  std::string node;  // kReserved, kMoved; kNotOffered: the reserved one
};

/// Answers a filter call from `board`; `verdicts` as Filterer::Filter() has them. Where the place
/// of a member is not offered, moves it. Commits to nothing else.
Admission Admit(const Board& board, const Request& request, std::span<Verdict> verdicts,
                PlaceMoves* moves);

/// True for a pod of a group that is planned as a whole, or that no plan has seen.
bool IsMember(const Board& board, const Pod& pod);

}  // namespace outrigger::desk
