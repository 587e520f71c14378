#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "devices/commands/dra/dra_objects.h"
#include "devices/dra/allocator.h"
#include "devices/dra/reasons/reason.h"
#include "nlohmann/json_fwd.hpp"

namespace outrigger::cli {

/// ResourceClaims that are looked at together: those of a pod, or one.
struct DraAsked {
  std::string pod;                    ///< "namespace/name"; empty: none
  std::vector<dra::Claim> open;       ///< to be allocated, in the pod's order
  std::vector<dra::Claim> allocated;  ///< have their devices
};

/// The claims of `pod`. NotFound: one is not there, nor its template; names that are near.
absl::StatusOr<DraAsked> DraClaimsOf(const dra::PodClaims& pod, const DraObjects& objects);

/// The claim `name` of `name_space`; an empty one means whichever has it alone. NotFound and
/// InvalidArgument say which there are.
absl::StatusOr<DraAsked> DraClaim(const std::string& name, const std::string& name_space,
                                  const DraObjects& objects);

/// Null: there is no such pod.
const dra::PodClaims* FindDraPod(const DraObjects& objects, const std::string& name_space,
                                 const std::string& name);

/// What one node has for them.
struct DraNode {
  std::string name;
  dra::Outcome outcome = dra::Outcome::kMisfit;
  std::vector<dra::Allocation> claims;  ///< of the open ones, if it fits
  dra::Reason reason;                   ///< if not
};

struct DraExplained {
  DraAsked asked;
  std::vector<DraNode> nodes;  ///< those that are shown
  size_t count = 0;            ///< of nodes, shown or not
  size_t fitting = 0;
  size_t nearest = 0;  ///< of `nodes`: the one with the cheapest change; their number: none
};

/// What kube-scheduler would do. `shown` are names of nodes; empty: all. With `with_devices` each
/// node has its devices, also where it fits.
DraExplained ExplainDra(const DraObjects& objects, DraAsked asked,
                        const std::vector<std::string>& shown);

struct DraForm {
  bool wide = false;  ///< each device
  bool color = false;
  size_t columns = 0;
};
std::string DraTable(const DraExplained& explained, const DraForm& form);
nlohmann::ordered_json DraJson(const DraExplained& explained);
/// "n1: satisfied all claims: ...", a line or two for each node.
std::vector<std::string> DraSummaries(const DraExplained& explained);

}  // namespace outrigger::cli
