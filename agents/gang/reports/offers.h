#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/desk_names.h"
#include "outrigger/agent/cluster_snapshot.h"

namespace outrigger::gang {

/// Where kube-scheduler would have bound members of gangs that wait: it asks about nodes that its
/// own filters let pass. Bounded by the members that wait. Not thread-safe.
class Offers {
 public:
  struct Offer {
    PodPtr pod;
    std::vector<std::string> nodes;  // never empty
  };

  /// Takes what calls have reported, and forgets pods whose gang does not wait for room any more.
  void Take(const std::map<std::string, Ask>& asks, const Board& board,
            const ClusterSnapshot& snapshot);

  /// Of members of board.units()[unit] that want a place: offers of nodes that have not changed
  /// since; a few of them. Empty if less than the minimum have one.
  std::vector<Offer> Of(const Board& board, size_t unit, const ClusterSnapshot& snapshot) const;

 private:
  struct Noted {
    std::string node;
    uint64_t stamp = 0;
  };
  std::map<std::string, std::vector<Noted>> by_uid_;
};

}  // namespace outrigger::gang
