#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "burst.h"
#include "estimate.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "statistics.h"

namespace outrigger::safe {

/// True if both are the same node with the same pods, all in the same state. Both snapshots must
/// still be held.
bool IsSameState(const NodeView& a, const NodeView& b);

/// What is known of the measurement of one node and of the pods that came or went about that time.
///
/// Only pods that it does not hold in full, and those it holds that have gone, are kept: of the
/// latter at most kMostGone, where neighbours in time are joined into one of the same use. Not
/// thread-safe.
class NodeAccount {
 public:
  static constexpr size_t kMostGone = 64;

  /// Of what is known at a moment. Times are in seconds since 1970.
  struct Moment {
    const ClusterSnapshot& snapshot;
    double now = 0;
    double changed = 0;  // when what is new in it happened: `now`, or before that
    const Estimate& estimate;
    double window = 0;  // of nodes that do not say it
  };

  /// Takes the node as it is in `at.snapshot`. Views of the snapshot before must still be valid;
  /// those of this one are kept.
  void Update(const NodeView& node, const Moment& at);
  /// Takes a finished pod that was here before the first look.
  void AddFinished(const PodView& pod, const Moment& at);

  const NodeView& node() const { return *node_; }
  /// Of what time the node's statistics are: what the node says, but no end that lies after it was
  /// read; else the time at which they changed, and the default length.
  const Window& measured() const { return measured_; }
  const Amounts& correction() const { return correction_; }
  /// Counts changes of measured() and correction().
  uint64_t version() const { return version_; }

 private:
  struct Young {
    PodView pod;
    Stay stay;
  };

  void ReadNode(const Moment& at);
  void AddGone(const PodView& pod, const Moment& at);
  void FindGone(const PodRange& before, const PodRange& after, const Moment& at);
  void FindYoung(const PodRange& pods, const Moment& at);
  void Keep(const Stay& gone);
  void JoinTwo();
  void Settle();

  std::optional<NodeView> node_;  // null before the first Update()
  std::string statistics_;        // the annotations, to see them change
  double changed_ = 0;            // when they did
  double read_ = 0;               // when that was seen
  Window measured_;
  std::vector<Young> young_;  // by namespace and name
  std::vector<Stay> gone_;    // by their end
  Amounts correction_ = {};
  uint64_t version_ = 0;
};

}  // namespace outrigger::safe
