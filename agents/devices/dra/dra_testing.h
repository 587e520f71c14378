#pragma once

#include <string>
#include <utility>
#include <vector>

#include "devices/dra/allocator.h"
#include "nlohmann/json.hpp"
#include "outrigger/k8s/node.h"

// Builders of what DRA allocates. Valid by default.

namespace outrigger::dra::testing {

inline Node NodeNamed(std::string name) {
  Node node;
  node.name = std::move(name);
  return node;
}

inline Device DeviceNamed(std::string name, Attributes attributes = {}) {
  Device device;
  device.name = std::move(name);
  device.attributes = std::move(attributes);
  return device;
}

/// A pool of one slice, named like the node.
inline Slice SliceOf(const std::string& node, std::vector<Device> devices) {
  Slice slice;
  slice.name = "slice-" + node;
  slice.driver = "gpu.example.com";
  slice.pool = node;
  slice.generation = 1;
  slice.slice_count = 1;
  slice.nodes.node = node;
  slice.devices = std::move(devices);
  return slice;
}

inline Class ClassNamed(std::string name, std::vector<std::string> selectors = {}) {
  Class of;
  of.name = std::move(name);
  of.selectors = std::move(selectors);
  return of;
}

inline Request RequestOf(std::string name, int64_t count = 1) {
  Request request;
  request.name = std::move(name);
  Ask& ask = request.asks.emplace_back();
  ask.device_class = "gpu";
  ask.count = count;
  return request;
}

inline Claim ClaimOf(std::string name, std::vector<Request> requests) {
  Claim claim;
  claim.namespace_ = "default";
  claim.name = std::move(name);
  claim.uid = "uid-" + claim.name;
  claim.requests = std::move(requests);
  return claim;
}

/// The same, with devices of the pool `node`.
inline Claim Holding(Claim claim, const std::string& node,
                     const std::vector<std::string>& devices) {
  claim.allocated = true;
  for (const std::string& device : devices) {
    Result& result = claim.results.emplace_back();
    result.request = claim.requests[0].name;
    result.driver = "gpu.example.com";
    result.pool = node;
    result.device = device;
  }
  return claim;
}

}  // namespace outrigger::dra::testing
