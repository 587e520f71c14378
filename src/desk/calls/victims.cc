#include "desk/calls/victims.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "outrigger/plan/order.h"

namespace outrigger::desk {
namespace {

// A call has a second. Where earlier units ask for more kinds of things, nothing is evicted.
constexpr size_t kMostAsks = 64;

// What members of units before `rank` that wait without a place ask for, each kind once; nothing:
// too many kinds.
std::optional<std::vector<ResourceList>> EarlierAsks(const Board& board, const plan::Rank& rank) {
  std::optional<std::vector<ResourceList>> asks(std::in_place);
  board.ForEachPod([&](const BoardPod& seat) {
    const BoardUnit* const unit = seat.unit;
    if (!asks || unit == nullptr || unit->fits || !(unit->rank < rank)) return;
    ResourceList asked = board.RequestsOf(*seat.pod);
    if (std::find(asks->begin(), asks->end(), asked) != asks->end()) return;
    if (asks->size() == kMostAsks) return asks.reset();
    asks->push_back(std::move(asked));
  });
  return asks;
}

}  // namespace

void ChooseVictims(const Board& board, const PreemptRequest& request,
                   std::vector<NodeVictims>* chosen) {
  if (!board.holds() || plan::ComesFirst(request.pod)) {
    chosen->insert(chosen->end(), request.candidates.begin(), request.candidates.end());
    return;
  }
  const BoardPod* const seat = board.Find(request.pod.uid);
  const BoardUnit* const unit = seat == nullptr ? nullptr : board.UnitOf(*seat);
  const plan::Rank rank = unit == nullptr ? board.RankOfUnseen(request.pod) : unit->rank;
  const auto asks = EarlierAsks(board, rank);
  if (!asks) return;
  for (const NodeVictims& candidate : request.candidates) {
    const auto freed = board.FreedBy(candidate.node, candidate.pod_uids);
    if (!freed || freed->first < rank) continue;
    const bool is_wanted = std::any_of(asks->begin(), asks->end(), [&](const ResourceList& asked) {
      return freed->allocatable.Covers(asked);
    });
    if (!is_wanted) chosen->push_back(candidate);
  }
}

}  // namespace outrigger::desk
