#include "codec/json/pod_parts.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace outrigger::json {
namespace {

// "<pod>-<volume>" is how the controller of ephemeral volumes names what it creates.
std::optional<std::string> ClaimOf(PodVolume volume, std::string_view pod) {
  if (volume.claim.has_value()) return std::move(volume.claim);
  if (!volume.ephemeral) return std::nullopt;
  return std::string(pod) + "-" + volume.name;
}

// Of several statuses with one name upstream takes the first.
std::string NamedByStatus(const std::vector<NamedClaim>& ordered, const std::string& name) {
  const auto at = std::lower_bound(
      ordered.begin(), ordered.end(), name,
      [](const NamedClaim& status, const std::string& wanted) { return status.name < wanted; });
  return at != ordered.end() && at->name == name ? at->claim : std::string();
}

void SetClaims(PodParts parts, Pod* pod) {
  for (PodVolume& volume : parts.volumes) {
    if (auto claim = ClaimOf(std::move(volume), pod->name))
      pod->claims.push_back(*std::move(claim));
  }
  std::stable_sort(parts.claim_statuses.begin(), parts.claim_statuses.end(),
                   [](const NamedClaim& a, const NamedClaim& b) { return a.name < b.name; });
  for (NamedClaim& named : parts.claims) {
    if (named.claim.empty()) named.claim = NamedByStatus(parts.claim_statuses, named.name);
    if (named.claim.empty()) {
      ++pod->claims_to_come;
    } else {
      pod->resource_claims.push_back(std::move(named.claim));
    }
  }
}

void SetStates(std::vector<ContainerState> states, const Needs& needs, Pod* pod) {
  for (const ContainerState& state : states) {
    if (state.end && pod->IsFinished())
      pod->end_time = std::max(pod->end_time, state.end->finished);
  }
  if (!needs.Has(Needs::kPodContainerStates)) return;
  std::stable_partition(states.begin(), states.end(),
                        [](const ContainerState& state) { return state.init; });
  pod->container_states = std::move(states);
}

void SetImages(std::vector<std::string> images, Pod* pod) {
  std::sort(images.begin(), images.end());
  images.erase(std::unique(images.begin(), images.end()), images.end());
  pod->images = std::move(images);
}

}  // namespace

void KeepHostPorts(std::vector<HostPort> of_container, std::vector<HostPort>* ports) {
  for (HostPort& port : of_container) {
    if (port.port <= 0) continue;
    if (port.protocol.empty()) port.protocol = "TCP";
    ports->push_back(std::move(port));
  }
}

void SetPolicies(std::string_view when, std::optional<std::string_view> affinity,
                 std::optional<std::string_view> taints, TopologySpreadConstraint* constraint) {
  constraint->hard = when == "DoNotSchedule";
  constraint->honor_affinity = affinity.value_or("Honor") == "Honor";
  constraint->honor_taints = taints.value_or("Ignore") == "Honor";
}

void SetParts(PodParts parts, const Needs& needs, Pod* pod) {
  pod->host_ports = std::move(parts.init_ports);  // first, as upstream lists them
  std::move(parts.ports.begin(), parts.ports.end(), std::back_inserter(pod->host_ports));
  SetImages(std::move(parts.images), pod);
  SetStates(std::move(parts.container_states), needs, pod);
  SetClaims(std::move(parts), pod);
}

}  // namespace outrigger::json
