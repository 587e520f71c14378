#pragma once

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

}  // namespace outrigger::desk
