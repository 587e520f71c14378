#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "outrigger/agent/verdict.h"
#include "outrigger/devices/claim.h"
#include "outrigger/devices/inventory.h"
#include "outrigger/devices/selectors.h"

namespace outrigger::devices {

/// How three aims add up to a score. Not negative; they need not add up to 1.
struct Weights {
  double packing = 0.5;
  double intact = 0.3;
  double choice = 0.2;
};

struct AllocatorOptions {
  /// Steps that one node may cost. Then the answer is Unresolvable, since to search again would
  /// give the same answer.
  int64_t budget = 100'000;
  /// Devices of pools that are attached to the network serve every node.
  bool network_pools = false;
  /// Resolve classes even if the inventory has none. Without: if it has none at all, the classes
  /// that claims name are taken for any device.
  bool always_resolve = false;
  Weights weights = {};
  /// Attributes whose groups of equal value should stay whole, in addition to matched ones.
  std::vector<std::string> topology_attributes = {};
};

/// A claim that cannot be served by any node, as it is.
struct InvalidClaim {
  size_t claim = 0;  ///< index in what was resolved
  std::string fault;
};

struct DemandData;

/// The claims of one pod, resolved: classes looked up, expressions compiled and evaluated for all
/// attributes of the inventory. Immutable; thread-safe; valid until the inventory changes. Copies
/// are cheap.
class Demand {
 public:
  explicit Demand(std::shared_ptr<const DemandData> data) : data_(std::move(data)) {}
  /// In the order of the claims.
  const std::vector<InvalidClaim>& invalid() const;
  const DemandData& data() const { return *data_; }

 private:
  std::shared_ptr<const DemandData> data_;
};

/// Each part in [0, 1]; more is better.
struct Scores {
  double packing = 0;  ///< mean over touched pools of used / total afterwards
  double intact = 1;   ///< 1 - groups newly broken / groups touched
  double choice = 1;   ///< mean of (8 - rank) / 8 over requests with alternatives
  double total = 0;    ///< weighted
};

/// What one claim gets.
struct ClaimAllocation {
  std::vector<Allocation> allocations;  ///< by request, then pool and device
  std::vector<Allocation> holding;      ///< the same without admin access, which takes nothing
  std::vector<int> alternatives;        ///< which alternative serves each request
};

/// The answer of one node.
struct Answer {
  /// Rejected: it would fit if others gave back what they hold. Unresolvable: not even then, or the
  /// search did not end. The reason is the cheapest change that would help.
  Verdict verdict;
  std::vector<ClaimAllocation> claims;  ///< one for each claim, if it fits; Parts::kAll
  Scores scores;                        ///< if it fits; from Parts::kScores on
  int64_t steps = 0;                    ///< what the search cost
};

/// How much of an Answer is filled in: naming devices costs more than finding them.
enum class Parts : uint8_t { kVerdict, kScores, kAll };

/// Finds devices for all claims of a pod at once on a node, or why there are none.
///
/// Exact within the budget. Deterministic: the same answer for any order in which the inventory was
/// filled. Pools are taken by driver and name, devices, claims and requests as they are listed; the
/// first complete solution counts, for claims of the count dialect among those with the
/// fewest pairs of claim and pool (if half of the budget is enough to find these).
///
/// Thread-safe. Remembers results of expressions by expression and attributes. `selectors` must
/// outlive it.
class Allocator {
 public:
  explicit Allocator(const Selectors& selectors, AllocatorOptions options = {});
  ~Allocator();

  /// Cost: one evaluation for each expression and each set of attributes that was not there before.
  Demand Resolve(const Inventory& inventory, std::span<const Claim* const> claims) const;

  /// Of `inventory`, with which `demand` was resolved and which has not changed since: what claims
  /// hold may have. If pools brought new attributes, the answer is Unresolvable and says so.
  Answer Allocate(const Inventory& inventory, const Demand& demand, std::string_view node,
                  Parts parts = Parts::kAll) const;

  const AllocatorOptions& options() const { return options_; }

 private:
  class Cache;
  AllocatorOptions options_;
  std::unique_ptr<Cache> cache_;
};

}  // namespace outrigger::devices
