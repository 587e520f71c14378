#include "reports/offers.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "outrigger/plan/room.h"

namespace outrigger::gang {
namespace {

// So many members of a gang are judged: a fault of this kind is one of most members.
constexpr size_t kMostJudged = 8;

bool WaitsForRoom(const Board& board, const BoardPod* seat) {
  const BoardUnit* const unit = seat == nullptr ? nullptr : board.UnitOf(*seat);
  return unit != nullptr && unit->gang && !unit->fits;
}

}  // namespace

void Offers::Take(const std::map<std::string, Ask>& asks, const Board& board,
                  const ClusterSnapshot& snapshot) {
  std::erase_if(by_uid_,
                [&](const auto& entry) { return !WaitsForRoom(board, board.Find(entry.first)); });
  for (const auto& [uid, ask] : asks) {
    if (!WaitsForRoom(board, board.Find(uid))) continue;
    std::vector<Noted>& noted = by_uid_[uid];
    noted.clear();
    for (const std::string& node : ask.offered) {
      if (const auto room = plan::RoomOn(snapshot, node)) noted.push_back({node, room->stamp});
    }
  }
}

std::vector<Offers::Offer> Offers::Of(const Board& board, size_t unit,
                                      const ClusterSnapshot& snapshot) const {
  std::vector<Offer> offers;
  size_t members = board.BoundOf(board.units()[unit].key).size();
  for (const auto& [uid, noted] : by_uid_) {
    const BoardPod* const seat = board.Find(uid);
    if (seat == nullptr || seat->unit != &board.units()[unit]) continue;
    Offer offer{seat->pod, {}};
    for (const Noted& one : noted) {
      const auto room = plan::RoomOn(snapshot, one.node);
      if (room && room->stamp == one.stamp) offer.nodes.push_back(one.node);
    }
    if (offer.nodes.empty()) continue;
    ++members;
    if (offers.size() < kMostJudged) offers.push_back(std::move(offer));
  }
  if (static_cast<int64_t>(members) < board.units()[unit].minimum) offers.clear();
  return offers;
}

}  // namespace outrigger::gang
