#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "codec/json/pod_parts.h"
#include "codec/protobuf/reader.h"
#include "outrigger/agent/needs.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::protobuf {

/// A pod while it is read. What is counted lives as long as the whole, since a message may come in
/// parts.
struct PodReading {
  const Needs& needs;
  Pod* pod;
  json::PodParts parts;
  size_t owners = 0;
  size_t containers = 0;
  size_t init_containers = 0;
  size_t tolerations = 0;
  size_t conditions = 0;
  size_t container_statuses = 0;
  size_t init_container_statuses = 0;
  bool resize_seen = false;  // upstream looks at the first such condition only
};

/// Maps that they fill are not in order yet, but for those of containers, of their statuses and of
/// selectors.
absl::Status ReadPodSpec(Bytes bytes, const Path& at, PodReading* reading);
absl::Status ReadPodStatus(Bytes bytes, const Path& at, PodReading* reading);

absl::Status ReadAffinity(Bytes bytes, const Path& at, Affinity* affinity);

absl::Status ReadTopologySpread(Bytes bytes, const Path& at, TopologySpreadConstraint* constraint);

/// An element of spec.resourceClaims, whose claim has the number 3, or of
/// status.resourceClaimStatuses, where it has 2.
template <uint32_t claim_number>
absl::Status ReadNamedClaim(Bytes bytes, const Path& at, json::NamedClaim* claim) {
  return ReadMessage(bytes, at, Field{1, "name", &claim->name},
                     Field{claim_number, "resourceClaimName", &claim->claim});
}

}  // namespace outrigger::protobuf
