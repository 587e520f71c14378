#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "common/desk_names.h"
#include "gang/plan/group.h"
#include "gang/plan/unit.h"
#include "outrigger/agent/cluster.h"

namespace outrigger::gang {

/// The first pod of each gang by name: of those that want a place, where there are any. All pods
/// are walked once, when the first is asked for, so that telling of thousands of gangs is linear in
/// pods. Not thread-safe.
class FirstPods {
 public:
  /// The board outlives this.
  explicit FirstPods(const Board& board) : board_(board) {}

  /// The first of those that want a place, else of those that have one; nullptr: none is on the
  /// board.
  const Pod* Of(const plan::UnitKey& gang);

 private:
  // Views of pods of the board.
  using Name = std::tuple<plan::Dialect, std::string_view, std::string_view>;
  void Walk();

  const Board& board_;
  bool walked_ = false;
  absl::flat_hash_map<Name, const Pod*> first_;  // of those that want a place
};

/// An Event about the object of a gang; nothing: the unit has none.
std::optional<ClusterEvent> EventAboutObject(const plan::UnitKey& unit);

/// An Event about a pod.
ClusterEvent EventAbout(const Pod& pod);

/// A warning about a gang: about its object, or, where it has none, about the pod that
/// FirstPods gives, so that `kubectl describe` of one that waits shows it. Nothing for a gang that
/// has neither on the board.
std::optional<ClusterEvent> GangEvent(FirstPods* pods, const plan::UnitKey& gang,
                                      std::string reason, std::string note);

}  // namespace outrigger::gang
