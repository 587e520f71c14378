#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "claims/pod_demand.h"
#include "outrigger/agent/request.h"
#include "outrigger/agent/verdict.h"
#include "outrigger/devices/allocator.h"
#include "store/device_store.h"

namespace outrigger::devices::agent {

/// Answers filter and prioritize calls: whether, and how well, the claims of a pod can be served on
/// each node. Commits to nothing. Thread-safe.
class Judge {
 public:
  /// Both outlive this.
  Judge(const DeviceStore& store, const Allocator& allocator)
      : store_(store), allocator_(allocator) {}

  /// Why no node was left of a filter call.
  enum class Left : uint8_t {
    kSome,        ///< some are left, or the pod has no claims
    kNone,        ///< each node was asked
    kUnresolved,  ///< none could be asked: a claim is missing, invalid, ...
  };
  // As Filterer and Scorer. A pod without claims costs a look at its annotations.
  absl::StatusOr<Left> Filter(const outrigger::Request& request, std::span<Verdict> verdicts) const;
  absl::Status Score(const outrigger::Request& request, std::span<NodeScore> scores) const;

  /// Calls `judge` with the inventory, as if the pod's own claims without devices held nothing, and
  /// the demand for these. A demand that fits nowhere is not resolved: `judge` is not called, and
  /// the verdict is returned.
  using Call = absl::FunctionRef<void(const Inventory&, const PodDemand&, const Demand&)>;
  Verdict With(const PodName& pod, const std::vector<PodClaim>& claims, Call judge) const;

  /// Unavailable: what is known of devices is too old. A verdict that does not fit: the API server
  /// does not serve the kinds.
  absl::Status Usable(Verdict* verdict) const;

 private:
  Verdict Ask(const Contents& contents, const PodDemand& demand, Call judge) const;

  const DeviceStore& store_;
  const Allocator& allocator_;
};

}  // namespace outrigger::devices::agent
