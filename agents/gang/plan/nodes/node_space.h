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

#include <span>
#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "cluster/snapshot.h"
#include "gang/plan/nodes/shape.h"
#include "gang/plan/pairs/pod_pairs.h"
#include "gang/plan/scheduler_checks.h"
#include "gang/plan/unit.h"
#include "outrigger/k8s/node.h"
#include "sdk/base/in_step.h"

namespace outrigger::plan {

/// Counts the pods of a snapshot in PodPairs: those that forbid something to others by themselves,
/// and, once a pod asks for the neighbourhood of others, all of them. Only pods that came, changed
/// or went since the last time are unpacked. Not thread-safe.
class BoundPods {
 public:
  explicit BoundPods(PodPairs* pairs) : pairs_(pairs) {}

  /// What is in the slot now; null: no node. The pods that were there must still exist.
  void Set(size_t slot, const cluster::NodeState* state);
  /// From now on labels of all pods count. `states` by slot, as Set() was told.
  void CountAll(const std::vector<const cluster::NodeState*>& states);
  bool counts_all() const { return all_; }
  /// Some pod forbids something to others.
  bool any() const { return any_; }

 private:
  using Entry = std::pair<cluster::PodPtr, KindIndex>;

  bool Counts(const cluster::PodRecord& pod) const;

  PodPairs* const pairs_;
  bool all_ = false;
  bool any_ = false;
  std::vector<std::vector<Entry>> counted_;  // by slot, in the order of namespace and name
};

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
  /// Sets the pending kinds. Terms of all other kinds are dropped.
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

/// Remembers the shapes of pods from plan to plan, since to work one out costs more than to place
/// it. Not thread-safe.
class ShapeTable {
 public:
  explicit ShapeTable(NodeSpace* space) : space_(space) {}
  /// Makes the shapes of all members known: what one asks of others may change that of another.
  /// To be called before anything is placed. Begins a round if none is under way: plans of one
  /// round share what is known, and what one more of them costs in memory is what it asks for
  /// first.
  void Learn(std::span<const Unit> units);
  /// Of what Learn() was given: the shapes of all members, unit after unit.
  std::span<const ShapeIndex> learnt() const { return learnt_; }
  /// Of a member of those units.
  ShapeIndex Of(const Member& member);
  /// Ends the round, and forgets pods that no Learn() in it was given.
  void Sweep();

 private:
  struct Entry {
    std::shared_ptr<const Pod> pod;  // held: another pod must not get its address
    uint64_t used = 0;
    std::optional<KindIndex> kind = {};
    bool known = false;    // `shape` is, for `matters` as it is
    bool matters = false;  // the kind does
    ShapeIndex shape = 0;
  };
  void FindEntries(std::span<const Unit> units);
  Entry* EntryOfThisRound(const Member& member);
  Entry* EntryOf(const Member& member);
  ShapeIndex ShapeOf(const Member& member, Entry* entry);

  NodeSpace* space_;

  uint64_t round_ = 1;
  bool is_under_way_ = false;  // the round: Learn() was called in it
  absl::node_hash_map<const Pod*, Entry> entries_;
  InStep<const Pod*, Entry> in_step_;
  std::vector<std::pair<const Member*, Entry*>> members_;  // while Learn() runs
  std::vector<ShapeIndex> learnt_;
};

}  // namespace outrigger::plan
