#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "cluster/snapshot.h"
#include "outrigger/k8s/node.h"
#include "outrigger/plan/scheduler_checks.h"
#include "plan/nodes/bound_pods.h"
#include "plan/nodes/columns.h"
#include "plan/nodes/shape.h"
#include "plan/pairs/pod_pairs.h"

namespace outrigger::plan {

using Slot = uint32_t;
inline constexpr Slot kNoSlot = ~Slot{0};

/// The nodes of a snapshot as rows of free amounts, on which members are placed virtually. What is
/// known of a node lasts until it, or what is on it, changes. Not thread-safe.
///
/// Slots of the cluster's nodes are those of the snapshot; nodes that are only assumed to exist
/// follow behind them.
class NodeSpace {
 public:
  /// `checks` is not null.
  explicit NodeSpace(std::shared_ptr<const SchedulerChecks> checks) : checks_(std::move(checks)) {}

  /// Brings the nodes up to date: costs a comparison of pointers per node and the work for those
  /// that changed. Virtual placements are gone.
  void Follow(const std::shared_ptr<const cluster::Snapshot>& snapshot);
  /// Adds empty nodes that are not in the snapshot, until the next Follow() or Pretend().
  void Pretend(const std::vector<Node>& nodes);

  /// The pod wants a place: what it asks of other pods is looked at from now on. To be called of
  /// all pods before ShapeOf() of the first.
  void Expect(const Pod& pod);
  /// Which kind of pod it is to others; nothing if no pod asks for anything of others.
  std::optional<KindIndex> KindOf(const Pod& pod);
  /// Says which kinds want a place in this plan: with others gone, what they asked is, too.
  void Ask(const std::vector<KindIndex>& kinds) { pairs_.Ask(kinds); }
  bool Matters(std::optional<KindIndex> kind) const { return kind && pairs_.PlaysPart(*kind); }
  /// The shape of a pod, which becomes known if it is new. `kind` is given if it matters.
  ShapeIndex ShapeOf(const std::shared_ptr<const Pod>& pod, const std::vector<NodeSelector>& pinned,
                     std::optional<KindIndex> kind);
  const Shape& shape(ShapeIndex index) const { return shapes_[index].shape; }
  /// What a list of resources comes to, in its order, without what is zero or less. As of
  /// ShapeOf(), it is asked for the first time before anything is placed.
  std::vector<Amount> AmountsOf(const ResourceList& list);
  /// What is free of a column on all schedulable nodes on which something may be placed.
  int64_t FreeInAll(size_t column) const;
  /// Orders shapes without regard to which was known first.
  const std::string& Signature(ShapeIndex index) const { return shapes_[index].signature; }
  /// Shapes, kinds of pods to others, and resources (each of which costs as much as some shapes)
  /// that were ever seen.
  size_t memory() const {
    return shapes_.size() + pairs_.memory() + 24 * columns_.size() + columns_.sharing();
  }
  /// What is remembered no longer holds: to be made again. Known after Follow().
  bool is_stale() const { return is_stale_ || pairs_.is_stale(); }
  const Columns& columns() const { return columns_; }

  /// The slots in use, in the order of the nodes' names.
  const std::vector<Slot>& in_order() const { return in_order_; }
  const Node& node(Slot slot) const { return *nodes_[slot]; }
  /// The slot of a node, or kNoSlot.
  Slot Find(std::string_view name) const;
  /// Changes whenever a node comes, goes or changes; not when pods do.
  uint64_t node_generation() const { return node_generation_; }

  /// Takes back every virtual placement and hold.
  void Clear();
  /// Nothing is placed there any more until Clear().
  void Hold(Slot slot) { held_[slot] = 1; }

  bool MayTake(ShapeIndex shape, Slot slot) const {
    return shapes_[shape].may_take[slot] != 0 && held_[slot] == 0;
  }
  /// How many members of the shape fit into what is free; 0 where it may not go. What they may not
  /// be beside does not count.
  int64_t Room(ShapeIndex shape, Slot slot) const;
  /// The same for an empty node: were nothing there.
  int64_t RoomWhenEmpty(ShapeIndex shape, Slot slot) const;
  /// The same once all pods there are gone, and what is placed virtually has come.
  int64_t RoomWhenLeft(ShapeIndex shape, Slot slot) const;
  /// The same without one of the columns, and of that column alone.
  int64_t RoomWithout(ShapeIndex shape, Slot slot, size_t column) const;
  int64_t RoomInColumn(ShapeIndex shape, Slot slot, size_t column) const;
  bool HasRoom(ShapeIndex shape, Slot slot) const;
  /// What other pods there, or elsewhere, have against one more member of the shape.
  PodPairs::Refusal RefusalAt(ShapeIndex shape, Slot slot) const {
    const Shape& of = shapes_[shape].shape;
    const auto refusal = of.kind ? pairs_.Check(*of.kind, slot) : PodPairs::Refusal::kNone;
    const bool ignored = of.ignores_anti_affinity && refusal == PodPairs::Refusal::kAntiAffinity;
    return ignored ? PodPairs::Refusal::kNone : refusal;
  }
  bool Fits(ShapeIndex shape, Slot slot) const {
    return HasRoom(shape, slot) && RefusalAt(shape, slot) == PodPairs::Refusal::kNone;
  }
  /// How large a member of the shape is: its largest share of what the largest node has.
  double Weight(ShapeIndex shape) const;
  void Take(ShapeIndex shape, Slot slot, int64_t count);
  void Give(ShapeIndex shape, Slot slot, int64_t count) { Take(shape, slot, -count); }

  /// What is free there, column by column.
  const int64_t* Row(Slot slot) const { return &free_[slot * columns_.size()]; }

 private:
  struct ShapeState {
    Shape shape;
    std::string signature;
    std::vector<uint8_t> may_take;  // by slot
  };

  std::vector<Amount> RequestsOf(const Pod& pod);
  void Learn(const Node& node);
  bool IsOffered(std::string_view resource) const {
    return offered_.contains(resource) || checks_->device_resources.contains(resource);
  }
  void AddDevices(int64_t* allocatable, int64_t* base) const;
  void Resize(size_t slots);
  void Reload();
  void Load(Slot slot);
  void Judge(Slot slot);
  void Reorder();
  void Measure();

  const std::shared_ptr<const SchedulerChecks> checks_;
  Columns columns_;
  std::set<std::string, std::less<>> offered_;  // resources of nodes that are, or were, there
  bool is_stale_ = false;
  PodPairs pairs_{0};
  BoundPods bound_{&pairs_};
  bool any_pairs_ = false;  // some pod asks for something of others
  absl::flat_hash_map<std::pair<KindIndex, Slot>, int64_t> placed_;  // virtually, of pairs_
  std::vector<ShapeState> shapes_;
  absl::flat_hash_map<std::string, ShapeIndex> by_signature_;

  std::shared_ptr<const cluster::Snapshot> snapshot_;
  std::vector<const cluster::NodeState*> states_;  // by slot, of snapshot_
  size_t real_ = 0;                                // slots of the snapshot
  std::vector<Node> pretended_;
  absl::flat_hash_map<std::string, Slot> pretended_slots_;

  std::vector<const Node*> nodes_;    // by slot; null: none
  std::vector<int64_t> base_;         // free with what the snapshot has on the nodes, row by row
  std::vector<int64_t> free_;         // the same less what is placed virtually
  std::vector<int64_t> allocatable_;  // row by row
  std::vector<int64_t> largest_;      // of allocatable, by column
  std::vector<uint8_t> held_;
  std::vector<Slot> in_order_;
  uint64_t node_generation_ = 0;
};

}  // namespace outrigger::plan
