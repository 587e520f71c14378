#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gang/desk/board.h"
#include "gang/desk/time.h"
#include "outrigger/agent/cluster.h"

namespace outrigger::desk {

/// A number that changes with the node and its pods; 0: the node is unknown.
uint64_t StampOf(const ClusterSnapshot& snapshot, const std::string& node);

/// The nodes that kube-scheduler has refused for one pod. A refusal ends when the pod or the node
/// changes, or after a time: its reason may have gone unseen. Not thread-safe.
class PodRefusals {
 public:
  struct Refusal {
    std::string node;
    uint64_t stamp = 0;   // of the node
    PodPtr pod;           // as it was refused; null: not known
    bool silent = false;  // the scheduler did not ask about the pod: it may have been away
  };

  /// False if the refusal is known already. It holds for 30 s, and for twice as long each time that
  /// it is repeated without a change, at most for 10 min.
  bool Add(Refusal refusal, Time now);
  /// Removes what has ended by a change of its node, or of `pod`; returns these nodes.
  std::vector<std::string> TakeChanged(const ClusterSnapshot& snapshot, const PodPtr& pod);
  /// Removes what was taken for a refusal because the scheduler did not ask; how many that were.
  int64_t ForgetSilent();
  /// Removes all; true if there was any.
  bool Clear();

  /// The nodes of those that hold now.
  std::vector<std::string> Nodes(Time now) const;
  /// The nodes of those whose time is over since the last such call. They count when they are
  /// repeated.
  std::vector<std::string> TakeOver(Time now);
  /// When the first of those that hold now ends; nothing: none does.
  std::optional<Time> FirstEnd(Time now) const;
  /// True if one that is silent holds now: it ends when the scheduler asks.
  bool AwaitsAsk(Time now) const;

 private:
  struct Entry {
    Refusal refusal;
    int64_t times = 1;
    Time until;
    bool over = false;  // TakeOver() has returned it
  };

  std::vector<Entry> entries_;
};

}  // namespace outrigger::desk
