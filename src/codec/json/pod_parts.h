#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "outrigger/agent/needs.h"
#include "outrigger/k8s/pod.h"

// What of a pod is only understood when more of it has been read: the same for every form of an
// object.

namespace outrigger::json {

/// A volume of a pod, as far as claims go.
struct PodVolume {
  std::string name;
  std::optional<std::string> claim;
  bool ephemeral = false;
};

/// A ResourceClaim of the spec, or what the status says of it.
struct NamedClaim {
  std::string name;   // in the pod
  std::string claim;  // the object's name; empty: not known here
};

/// What is collected while a pod is read.
struct PodParts {
  std::vector<HostPort> ports;
  std::vector<HostPort> init_ports;
  std::vector<std::string> images;
  std::vector<PodVolume> volumes;
  std::vector<NamedClaim> claims;
  std::vector<NamedClaim> claim_statuses;
  std::vector<ContainerState> container_states;  // in the order of the object
};

/// Appends those of a container's ports that are ports of the node, with their default protocol.
void KeepHostPorts(std::vector<HostPort> of_container, std::vector<HostPort>* ports);

/// Sets what of a constraint are words; an absent `when` is empty.
void SetPolicies(std::string_view when, std::optional<std::string_view> affinity,
                 std::optional<std::string_view> taints, TopologySpreadConstraint* constraint);

/// Fills the pod's host ports, images, claims, states of containers and end, when all else has been
/// read.
void SetParts(PodParts parts, const Needs& needs, Pod* pod);

}  // namespace outrigger::json
