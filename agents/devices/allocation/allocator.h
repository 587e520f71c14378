#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "devices/allocation/claim.h"
#include "devices/allocation/inventory.h"
#include "devices/allocation/selectors.h"
#include "outrigger/agent/verdict.h"

namespace outrigger::devices {

struct PendingData;

/// What is to be found out of expressions before claims can be resolved. Needs neither their
/// objects nor the inventory. Movable.
class Pending {
 public:
  explicit Pending(std::unique_ptr<const PendingData> data);
  Pending(Pending&&) noexcept;
  Pending& operator=(Pending&&) noexcept;
  ~Pending();
  const PendingData& data() const { return *data_; }

 private:
  std::unique_ptr<const PendingData> data_;
};

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
  /// Reasons name no claims of other namespaces than the first claim's: whoever may read a pod may
  /// not read these.
  bool hides_others = false;
  /// Attributes whose groups of equal value should stay whole, in addition to matched ones.
  std::vector<std::string> topology_attributes = {};
  /// Steady time, from any point on: by it FindOut() gives each namespace its share. Empty: no
  /// shares.
  std::function<std::chrono::nanoseconds()> now = {};
};

/// A claim that cannot be served by any node, as it is.
struct InvalidClaim {
  size_t claim = 0;  ///< index in what was resolved
  std::string fault;
};

class MatchCaches;
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
  int64_t steps = 0;                    ///< what the search cost, and the one for the reason
};

/// How much of an Answer is filled in: naming devices costs more than finding them.
enum class Parts : uint8_t { kVerdict, kScores, kAll };

/// Finds devices for all claims of a pod at once on a node, or why there are none.
///
/// Exact within the budget. Deterministic: the same answer for any order in which the inventory was
/// filled. The first complete solution counts, for claims of the count dialect among those with the
/// fewest pairs of claim and pool (if half of the budget is enough to find these). Claims and
/// requests are served as they are listed. Each request tries the devices of a node by best fit, so
/// that few groups are broken; a group is the devices of a pool that are equal in the attribute
/// that must be equal, or else in the first topology attribute, or else all. The smallest group
/// with enough free devices is first; if none has enough, the largest. Of equal groups the one with
/// more in use is first, then the one that is listed first: pools by driver and name, devices as
/// listed. Requests for amounts, for all devices and with admin access go by the list alone.
///
/// Thread-safe. Remembers results of expressions by namespace of the first claim, expression and
/// attributes. `selectors` must outlive it.
class Allocator {
 public:
  explicit Allocator(const Selectors& selectors, AllocatorOptions options = {});
  ~Allocator();

  /// Finds out whatever is not known, for as long as that takes: an evaluation for each expression
  /// and each set of attributes that was not there before.
  Demand Resolve(const Inventory& inventory, std::span<const Claim* const> claims) const;

  /// The same for callers that hold a lock: if all that it needs is known, at once; else what is to
  /// be found out without the lock, after which this is called again.
  std::variant<Demand, Pending> TryResolve(const Inventory& inventory,
                                           std::span<const Claim* const> claims) const;
  /// As TryResolve(), of what is wrong with the claims wherever they go: expressions are compiled,
  /// not evaluated.
  std::variant<std::vector<InvalidClaim>, Pending> TryCheck(
      const Inventory& inventory, std::span<const Claim* const> claims) const;
  /// Needs no lock. Unavailable: the namespace has used up its share of the processor; the message
  /// says so, for people. Cancelled: it was stopped. What was found out until then is remembered.
  absl::Status FindOut(const Pending& pending, const std::stop_token& stop) const;

  /// Of `inventory`, with which `demand` was resolved and which has not changed since: what claims
  /// hold may have. If pools brought new attributes, the answer is Unresolvable and says so.
  /// `budget`: in place of that of the options.
  Answer Allocate(const Inventory& inventory, const Demand& demand, std::string_view node,
                  Parts parts = Parts::kAll, std::optional<int64_t> budget = {}) const;

  const AllocatorOptions& options() const { return options_; }

 private:
  AllocatorOptions options_;
  std::unique_ptr<MatchCaches> caches_;
};

/// Devices of `inventory`, whatever their node, on which a constraint of the claims fails: how
/// many, and the first by node, driver, pool and device, with the error, for people. Empty: none,
/// or claims are invalid. `inventory` has not changed since `demand` was resolved with it. Names no
/// claims. Thread-safe.
std::string DescribeFailures(const Inventory& inventory, const Demand& demand);

}  // namespace outrigger::devices
