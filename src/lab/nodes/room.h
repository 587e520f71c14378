#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "outrigger/k8s/resources.h"

namespace outrigger::lab {

/// Why a kubelet does not run a pod, in its words.
struct Rejection {
  std::string reason;   // "OutOfcpu"
  std::string message;  // "Node didn't have enough resource: cpu, requested: ..."
};

/// What is free on a node, as its kubelet counts it. Not thread-safe.
class NodeRoom {
 public:
  explicit NodeRoom(ResourceList allocatable) : allocatable_(std::move(allocatable)) {}

  /// Takes what a pod asks for; or says why not, and takes nothing.
  std::optional<Rejection> Admit(const ResourceList& requests);
  /// The same without a look at what there is: the pod runs already.
  void Take(const ResourceList& requests);
  void Give(const ResourceList& requests);

 private:
  std::optional<Rejection> Check(std::string_view resource, int64_t requested, int64_t used,
                                 int64_t capacity) const;

  const ResourceList allocatable_;
  ResourceList used_;
  int64_t pods_ = 0;
};

}  // namespace outrigger::lab
