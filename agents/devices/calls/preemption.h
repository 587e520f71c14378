#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "calls/judge.h"
#include "devices/allocation/allocator.h"
#include "devices/allocation/claim.h"
#include "devices/allocation/device_class.h"
#include "devices/allocation/inventory.h"
#include "devices/objects/objects.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/stages.h"
#include "store/contents.h"
#include "store/device_store.h"

namespace outrigger::devices::agent {

/// What is known of a few nodes, to work with while the store goes on. Immutable; thread-safe.
class Excerpt {
 public:
  using Names = std::set<std::string, std::less<>>;

  /// Costs a look at what each claim holds, and copies of what is held of these nodes;
  /// `network_pools`: as of AllocatorOptions.
  Excerpt(const Contents& contents, const Names& nodes, bool network_pools);

  /// The inventory of these nodes, in which these claims ("namespace/name") hold nothing.
  Inventory WithoutHoldings(std::span<const std::string> claims) const;
  /// What the claim holds there.
  std::vector<Allocation> HeldBy(std::string_view claim) const;
  /// Claims without privileges that are allocated on the node.
  const std::vector<std::shared_ptr<const ClaimObject>>& ClaimsOn(std::string_view node) const;

 private:
  void TakeHoldings(const Contents& contents);

  std::vector<std::shared_ptr<const PoolObject>> pools_;
  std::vector<std::shared_ptr<const ClassObject>> classes_;
  std::vector<Driver> drivers_;
  std::map<std::string, std::vector<Allocation>, std::less<>> holdings_;
  std::map<std::string, std::vector<std::shared_ptr<const ClaimObject>>, std::less<>> claims_;
};

/// Keeps pods from being evicted in vain: kube-scheduler knows nothing of the devices that they
/// hold. Holds the store's lock as long as it takes to copy what is known of the candidates.
/// Thread-safe.
class Preemption {
 public:
  /// All outlive this. `cluster`: for priorities of pods; null: no victims are chosen.
  Preemption(const DeviceStore& store, const Judge& judge, const Allocator& allocator,
             ClusterReader* cluster = nullptr)
      : store_(store), judge_(judge), allocator_(allocator), cluster_(cluster) {}

  /// As Preempter: of the candidates those where the claims of the pod fit once the victims are
  /// gone. A candidate without victims gets some, by decreasing priority: pods of lower priority
  /// that hold devices there, none of which can be spared. Pods of the highest priority are spared
  /// first, then those that hold the fewest devices. Where no eviction is needed or helps, the
  /// candidate goes. A pod without claims keeps all. Unavailable: the pods are not known.
  absl::Status Preempt(const PreemptRequest& request, std::vector<NodeVictims>* chosen) const;

 private:
  absl::Status Choose(const Excerpt& excerpt, const PodDemand& demand,
                      const PreemptRequest& request, std::vector<NodeVictims>* chosen) const;
  /// The pods of lower priority that hold devices on the node, in the order in which they are to be
  /// spared.
  absl::Status AddVictims(const Excerpt& excerpt, const Pod& pod, NodeVictims* candidate) const;

  const DeviceStore& store_;
  const Judge& judge_;
  const Allocator& allocator_;
  ClusterReader* const cluster_;
};

}  // namespace outrigger::devices::agent
