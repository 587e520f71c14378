#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "outrigger/agent/needs.h"
#include "outrigger/k8s/pod.h"
#include "protobuf/cursor.h"

namespace outrigger::protobuf {

/// A pod while it is read. What is counted lives as long as the whole, since a message may come in
/// parts.
struct PodReading {
  const Needs& needs;
  Pod* pod;
  size_t owners = 0;
  size_t tolerations = 0;
  size_t conditions = 0;
  size_t container_statuses = 0;
  size_t init_container_statuses = 0;
  bool resize_seen = false;  // upstream looks at the first such condition only
};

/// Maps that it fills are not in order yet, but for those of container statuses.
absl::Status ReadPodStatus(Bytes bytes, const Path& at, PodReading* reading);

absl::Status ReadAffinity(Bytes bytes, const Path& at, Affinity* affinity);

}  // namespace outrigger::protobuf
