#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gang/plan/pairs/pod_pairs.h"
#include "gang/plan/scheduler_checks.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/resources.h"
#include "outrigger/k8s/selector.h"

namespace outrigger::plan {

/// An amount of one resource.
struct Amount {
  size_t column;
  int64_t value;  // thousandths of a cpu; whole units of everything else, as kube-scheduler counts
  friend bool operator==(const Amount&, const Amount&) = default;
};

/// The resources that pods which want a place ask for, by number: nodes are rows of amounts. The
/// number of pods is always the first. Not thread-safe.
class Columns {
 public:
  static constexpr size_t kPodCount = 0;

  Columns() : names_{std::string(kPods)} {}

  size_t size() const { return names_.size(); }
  const std::string& Name(size_t column) const { return names_[column]; }
  /// The column of that name, which is added if it is new. Of names that no node has (`is_offered`
  /// is false) only the first kMostAbsent get one of their own: pods may name any number. The
  /// others share one that no node has anything of.
  size_t Of(std::string_view name, bool is_offered);
  /// True for a name that shares a column.
  bool Shares(std::string_view name) const { return sharing_.contains(name); }
  /// Names that share a column.
  size_t sharing() const { return sharing_.size(); }
  /// What `list` says of each column.
  void Fill(const ResourceList& list, int64_t* row) const;
  static int64_t ValueOf(std::string_view name, const Quantity& quantity);

 private:
  static constexpr size_t kMostAbsent = 64;
  static constexpr std::string_view kAbsent = "a resource that no node has";

  std::vector<std::string> names_;
  size_t absent_ = 0;  // of these: of no node when they were added
  std::set<std::string, std::less<>> sharing_;
};

using ShapeIndex = uint32_t;

/// What a pod asks of a node by itself: members of one shape are interchangeable.
struct Shape {
  /// Larger than 0, the first is one pod; by column. Empty where resources are not compared at all.
  std::vector<Amount> requests;
  std::shared_ptr<const Pod> example;
  std::vector<NodeSelector> pinned;
  /// What it may not be beside, or others not beside it; nothing if that plays no part.
  std::optional<KindIndex> kind;
  // What kube-scheduler does not compare for it.
  bool ignores_taints = false;
  bool ignores_cordons = false;
  bool ignores_node_affinity = false;
  bool ignores_anti_affinity = false;      // of others; the pod's own was taken out of it
  std::optional<NodeSelector> added = {};  // what its profile asks of a node on top

  /// Takes what the profile says about nodes.
  void JudgeBy(const ProfileChecks& profile);
};

/// Whether a node may take pods of the shape at all: cordons, taints, selectors, added
/// affinity, pinned volumes.
/// The answer holds for the node's revision.
bool MayTake(const Shape& shape, const Node& node);

/// A text that is equal for two pods if and only if they ask for the same. It orders shapes, too,
/// without regard to which of them was seen first.
std::string SignatureOf(const Pod& pod, const std::vector<NodeSelector>& pinned);

}  // namespace outrigger::plan
