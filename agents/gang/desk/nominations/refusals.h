#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
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

/// The nodes that kube-scheduler has not passed for members of one spec, of one unit: what it does
/// to one of them it does to all. Each holds for a minute, or until the node itself changes. Not
/// thread-safe.
class SpecRefusals {
 public:
  explicit SpecRefusals(PodPtr example) : example_(std::move(example)) {}

  /// True if the pod asks for what the members of this spec ask for, and others judge it alike.
  bool AreFor(const Pod& pod) const;
  void Add(const Node& node, Time now);
  /// Forgets what is over.
  void Update(const ClusterSnapshot& snapshot, Time now);
  /// In the order of their names; null: none. The same object until something changes.
  std::shared_ptr<const std::vector<std::string>> nodes();
  /// When the first of them is over; nothing: there is none.
  std::optional<Time> FirstEnd() const;
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    uint64_t revision;  // of the node, without its pods
    Time until;
  };
  PodPtr example_;
  absl::flat_hash_map<std::string, Entry> entries_;
  std::shared_ptr<const std::vector<std::string>> nodes_;
};

/// True if whether kube-scheduler passes a node for the pod may hang on where other pods are.
bool HangsOnOtherPods(const Pod& pod);

/// False if something of the pod has changed by which kube-scheduler may judge it otherwise: its
/// status may differ. Null is the same as null only.
bool AskTheSame(const PodPtr& a, const PodPtr& b);
/// True if two pods ask for the same of a node by itself.
bool AskNodesTheSame(const Pod& a, const Pod& b);

}  // namespace outrigger::desk
