#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "devices/allocation/allocator.h"
#include "devices/allocation/inventory.h"
#include "devices/allocation/selectors.h"
#include "devices/commands/claims/asked.h"
#include "devices/commands/claims/device_objects.h"
#include "devices/commands/claims/holdings.h"

namespace outrigger::cli {

/// What a node has for the claims of a pod.
struct NodePlacement {
  std::string node;
  bool fits = false;
  bool would_fit_empty = false;  ///< it does not fit, and would if others gave back what they hold
  devices::Scores scores;
  int64_t steps = 0;   ///< of the search
  std::string reason;  ///< why it does not fit: the cheapest change that would help
  /// Names of the claims that cannot be served; of the pod's order.
  std::vector<std::string> unsatisfied;
  /// If it fits: what each claim gets, or has already.
  std::vector<std::vector<devices::Allocation>> claims;
  /// The same without admin access, which takes nothing; of claims that have theirs, empty.
  std::vector<std::vector<devices::Allocation>> holdings;
  /// It fits, and the pod may not go there all the same: why, and what would help.
  std::string no_room;

  /// The score times 100; 0: it does not fit.
  int Points() const;
};

/// What a pool of a node could be for one claim.
struct PoolView {
  const devices::Pool* pool = nullptr;
  devices::PoolUse use;
  /// Why not even one of its devices serves the claim; empty: one does.
  std::string ignored;
};

struct PlacementOptions {
  bool network_pools = false;   ///< as AllocatorOptions has it
  bool always_resolve = false;  ///< as AllocatorOptions has it
  /// Whether a namespace allows admin access counts though there is none in the objects.
  bool knows_namespaces = false;
  /// Why the pod, its devices aside, may not go to a node (""); not set: it is not known.
  std::function<std::string(const std::string& node)> why_no_room = {};
};

/// Answers for nodes, one after the other. Not thread-safe.
class Placement {
 public:
  /// `objects` and what `asked` points to outlive this.
  Placement(const DeviceObjects& objects, AskedClaims asked, const PlacementOptions& options = {});

  /// Names of all nodes, with pools or without, in ascending order. If there are Node objects,
  /// these are the nodes.
  const std::vector<std::string>& nodes() const { return nodes_; }
  const AskedClaims& asked() const { return asked_; }
  const DeviceUse& use() const { return use_; }
  /// Pools of nodes that are not there: texts for people.
  std::vector<std::string> Strays() const;

  NodePlacement On(const std::string& node) const;
  /// The pools of `node` as claim `index` of asked() sees them.
  std::vector<PoolView> PoolsFor(size_t index, const std::string& node) const;

 private:
  /// A claim that has its devices already: the node that it can be used on; empty: any.
  std::string NodeOf(const devices::ClaimObject& claim) const;
  /// Why the claim is served on no node, whatever is free; empty: it may be.
  std::string RefusalOf(const devices::ClaimObject& claim) const;
  void Refuse(NodePlacement* placement) const;
  /// Where devices are that claims have already, if that is another node.
  void Pin(NodePlacement* placement) const;
  void CheckRoom(NodePlacement* placement) const;
  devices::Demand Resolve(const std::vector<const devices::Claim*>& claims) const;
  /// Which of the open claims are to be named if all together do not fit on `node`.
  std::vector<std::string> Unsatisfied(const std::string& node) const;
  void FillIn(const devices::Answer& answer, NodePlacement* placement) const;
  std::string WhyIgnored(const devices::Claim& claim, const devices::Pool& pool) const;

  const DeviceObjects& objects_;
  const AskedClaims asked_;
  const std::unique_ptr<const devices::Selectors> selectors_;
  const devices::Allocator allocator_;
  const devices::Allocator of_one_pool_;
  const DeviceUse use_;
  const std::function<std::string(const std::string& node)> why_no_room_;
  /// Those that allow admin access; nothing: all do.
  std::optional<std::set<std::string>> admin_namespaces_;
  std::vector<std::string> nodes_;
  std::vector<const devices::Claim*> open_;  ///< without devices so far
  std::optional<devices::Demand> demand_;    ///< of open_
  std::vector<devices::Demand> alone_;       ///< of each of open_ by itself
  std::vector<devices::Demand> first_;       ///< of the first one, two, ... of open_
};

/// The node of the highest score, of equal ones the first; null: none fits and has room.
const NodePlacement* BestOf(const std::vector<NodePlacement>& placements);

}  // namespace outrigger::cli
