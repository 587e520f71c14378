#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

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

/// Answers a filter call from `board`; `verdicts` as Filterer::Filter() has them. Commits to
/// nothing.
/// `is_taken`: nodes to which others were moved since the board was made; may be empty.
Admission Admit(const Board& board, const Request& request, std::span<Verdict> verdicts,
                const std::function<bool(std::string_view node)>& is_taken = nullptr);

/// True if the node is as good for the member as the one that it has: of the same zone and region,
/// with about the same allocatable resources, room for the member, and no place of another unit.
/// Whether the pod may be there at all is kube-scheduler's judgement.
bool IsEqualPlace(const Board& board, const BoardPod& seat, std::string_view node);

/// True for a pod of a group that is planned as a whole, or that no plan has seen.
bool IsMember(const Board& board, const Pod& pod);

}  // namespace outrigger::desk
