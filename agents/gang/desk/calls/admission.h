#pragma once

#include <span>
#include <string>
#include <vector>

#include "gang/desk/board.h"
#include "gang/desk/calls/place_moves.h"
#include "outrigger/agent/request.h"
#include "outrigger/agent/stages.h"
#include "outrigger/agent/verdict.h"

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

/// What a call answers about a member without a place of a gang that is planned.
std::string RoomText(const BoardUnit& gang);

/// What a call answers about a single pod of this rank that is held; `seat` may be null (no plan
/// has seen it).
std::string HeldText(const Board& board, const BoardPod* seat, const plan::Rank& rank);

/// True for a pod of a group that is planned as a whole, or that no plan has seen.
bool IsMember(const Board& board, const Pod& pod);

/// Adds to `chosen` the candidates of a single pod: all, if pods are not held, or the pod never is.
/// None, if the pod has a place (also if it waits for its turn),
/// or no plan has it. Otherwise those where
/// - no single pod that comes before it, and waits too, could run on the node, were it empty;
/// - no victim comes before it in the order;
/// - no unit that comes before it has a place on the node, nor is it kept for one;
/// - node and victims are in the view.
/// Pure. Looks at so many earlier pods at most as to answer in time.
void ChooseVictims(const Board& board, const PreemptRequest& request,
                   std::vector<NodeVictims>* chosen);

}  // namespace outrigger::desk
