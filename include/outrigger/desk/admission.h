#pragma once

#include <span>
#include <string>

#include "outrigger/agent/request.h"
#include "outrigger/agent/verdict.h"
#include "outrigger/desk/board.h"

namespace outrigger::desk {

/// What a filter call came to, for who plans.
struct Admission {
  enum class Outcome {
    kPasses,      ///< a pod that is not planned, or a single one that is let go
    kReserved,    ///< the reserved node is the answer
    kNotOffered,  ///< there is a reservation, but its node is not in the offer
    kWaits,       ///< rejected everywhere
  };
  Outcome outcome = Outcome::kPasses;
  std::string node;  // kReserved, kNotOffered
};

/// Answers a filter call from `board`; `verdicts` as Filterer::Filter() has them. Commits to
/// nothing.
Admission Admit(const Board& board, const Request& request, std::span<Verdict> verdicts);

/// True for a pod of a group that is planned as a whole, or that no plan has seen.
bool IsMember(const Board& board, const Pod& pod);

}  // namespace outrigger::desk
