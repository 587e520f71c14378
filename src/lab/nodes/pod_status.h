#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/nodes/node_objects.h"
#include "lab/nodes/room.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::lab {

/// Where a pod stands, as its kubelet says it.
enum class PodStage : uint8_t { kNew, kStarting, kRunning, kEnded, kRejected, kGone };

/// What a status says of a pod beside that.
struct PodFacts {
  struct Container {
    std::string name;
    bool init = false;
    bool keeps_running = true;  // no init container, or one that is a sidecar
  };

  explicit PodFacts(const Pod& pod);

  std::string uid;
  std::vector<Container> containers;
  std::string image;  // of all containers; empty: they have different ones
  std::string node_address;
  std::string pod_address;
  WallTime scheduled;  // when it was bound
  WallTime admitted;
  WallTime running;
  WallTime ended;
  int exit_code = 0;
  Rejection rejection = {};
};

/// A strategic merge patch of the pod's status, for its uid alone. Not for kNew and kGone.
std::string PodStatusPatch(const PodFacts& facts, PodStage stage);

}  // namespace outrigger::lab
