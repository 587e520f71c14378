#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "devices/dra/objects.h"
#include "outrigger/k8s/node.h"

// What kube-scheduler would allocate: the devices of each node that its DynamicResources plugin
// would choose for the claims of a pod, or why it would choose none.

namespace outrigger::dra {

/// All that decides which devices are free. Each list in any order.
struct Cluster {
  std::vector<Slice> slices;
  std::vector<Class> classes;
  std::vector<TaintRule> rules;
  std::vector<Claim> claims;  ///< those that are allocated hold their devices
};

enum class Outcome : uint8_t {
  kFits,
  kMisfit,  ///< no device is at fault: too few of them will do
  kError,   ///< an object is wrong; kube-scheduler says so and looks at no other node
  kUnsure,  ///< kube-scheduler may answer either way
};

/// What one claim gets.
struct Allocation {
  std::vector<Result> results;  ///< in the order of the claim's requests
  std::vector<int> chosen;      ///< which of its asks serves each request
  struct Config {
    bool of_class = false;
    std::vector<std::string> requests;  ///< empty: all
    std::string json;
  };
  std::vector<Config> configs;
  std::optional<NodeSelector> nodes;  ///< where it may be used; absent: everywhere
};

/// Each in [0, 1]; more is better. As Scores of devices/allocation/allocator.h.
struct Scores {
  double packing = 0;  ///< mean over touched pools of devices in use / all afterwards
  double intact = 1;   ///< 1 - groups newly broken / groups touched
  double choice = 1;   ///< mean of (8 - rank) / 8 over requests with alternatives
};

/// The answer of one node.
struct Answer {
  Outcome outcome = Outcome::kMisfit;
  std::vector<Allocation> claims;  ///< one for each claim, if it fits
  Scores scores;                   ///< if it fits
  std::string text;                ///< of an error, or why it is not sure
  bool of_node = false;            ///< the error is of this node alone
  int64_t steps = 0;
};

/// Why a device cannot serve an ask, as far as that depends on the two alone.
enum class Refusal : uint8_t {
  kNone,
  kPool,           ///< its pool is incomplete or invalid
  kClassSelector,  ///< an expression of the class is false
  kSelector,       ///< an expression of the request is false
  kFailed,         ///< an expression fails, which ends kube-scheduler's cycle
  kTaint,
  kInUse,     ///< another claim has it
  kCapacity,  ///< the amount that is asked may not be had, or is not left
  kCounters,  ///< other devices of its pool have taken what it needs
};

/// One device of a node, as one ask sees it.
struct DeviceView {
  std::string driver;
  std::string pool;
  std::string device;  ///< empty: the whole pool, of which no device may be used
  Refusal refusal = Refusal::kNone;
  size_t number = 0;  ///< of the selector
  /// What exactly: the taint "key=value:NoSchedule", "memory: 8Gi wanted, 4Gi left".
  std::string text;
  std::vector<std::string> users;  ///< claims that have of it what is missing; ascending
  const Taint* taint = nullptr;    ///< kTaint; lives as long as the allocator's objects
};

/// Answers as upstream's structured allocator does (k8s.io/dynamic-resource-allocation v0.37, with
/// the features that are on by default in 1.37), in its order: pools by driver and name, those with
/// binding conditions last, slices by name, devices, claims and requests as listed; the first
/// complete solution. Search is exact within a budget of steps a node; beyond it, the answer is
/// kUnsure. Equal devices are tried once.
///
/// Keeps results of expressions, some hundred thousand, so it is for one set of objects. Not
/// thread-safe.
class Allocator {
 public:
  static constexpr int64_t kSteps = 100'000;

  /// `cluster` must outlive it. `groups`: attributes, "id" of the driver's domain or "domain/id",
  /// whose groups of equal value should stay whole, in addition to those that claims match.
  explicit Allocator(const Cluster& cluster, std::vector<std::string> groups = {});
  ~Allocator();

  /// What `node` would give to `claims`, which are those of one pod that are not allocated, in its
  /// order. What the claims of `without` (NameOf()) hold counts as free.
  Answer Allocate(const Node& node, std::span<const Claim> claims,
                  const std::set<std::string>& without = {}) const;

  /// From now on these claims hold their devices, and no others; they must outlive it.
  void Hold(std::span<const Claim> claims);

  /// From now on expressions on devices where they were not evaluated yet may cost so many units of
  /// CEL in all (docs/cel.md); beyond that, answers are kUnsure. Without this, any number.
  void Allow(int64_t units);
  /// They have cost that much.
  bool IsSpent() const;

  /// Every device of `node` as that ask sees it, in the order in which they are tried. Empty if its
  /// class is not there.
  std::vector<DeviceView> View(const Node& node, const Claim& claim, const Request& request,
                               const Ask& ask) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace outrigger::dra
