#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "gang/desk/board.h"
#include "gang/plan/unit.h"
#include "outrigger/k8s/claims.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::desk {

/// The label of the cause for which units wait that ClaimHolds takes out.
inline constexpr std::string_view kClaimsLabel = "claims";

/// By UID of a gated pod: why kube-scheduler would refuse it for a claim.
using RefusedClaims = absl::flat_hash_map<std::string, std::string>;

/// Why kube-scheduler refuses the pod for one of its claims: "the PersistentVolumeClaim data of
/// train-0 is not there"; empty: it does not, as far as the view tells, which has to be complete
/// (Needs::ClusterFreshClaims()). ResourceClaims that are not served are not judged. Whether a
/// volume can be made, or a device can be had, on the pod's node is not known before. Pure.
std::string RefusedForClaims(const ClaimTable& claims, const Pod& pod);

/// Whether the gate of the pod of this UID has been taken off, or is being: the view may still show
/// it.
using IsReleased = std::function<bool(const std::string& uid)>;

/// Finds gated pods that kube-scheduler would refuse for a claim. A unit of which no pod is
/// released or bound, and one would be refused, moves from `units` to `resting`: it keeps no places
/// while it waits. Of other units the plan stays as it is. Pure.
RefusedClaims HoldForClaims(const ClaimTable& claims, const IsReleased& is_released,
                            std::vector<plan::Unit>* units, std::vector<Resting>* resting);

}  // namespace outrigger::desk
