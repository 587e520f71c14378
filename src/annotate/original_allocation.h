#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "annotate/node_values.h"
#include "annotate/original_decimal.h"
#include "outrigger/agent/cluster_snapshot.h"

namespace outrigger::annotate {

// The arithmetic of the original program ("k8s-assessor"), with its faults: pods in phase Running
// alone and of these the containers alone; decimal text; the literal resource "gpu".

/// Quantities by resource, as written.
using OriginalList = std::map<std::string, std::string, std::less<>>;

/// What its Running pods request of a node.
class OriginalAllocation {
 public:
  /// Adds a Running pod by the requests of its containers.
  void AddPod(const std::vector<OriginalList>& containers);

  /// The annotations of a node with these allocatable amounts.
  Annotations Values(const OriginalList& allocatable) const;

 private:
  std::map<std::string, OriginalDecimal, std::less<>> requested_;  // by resource
};

/// The same of a node of a snapshot. Texts are those that the API server stores.
NodeValues CountOriginal(const NodeView& node);

}  // namespace outrigger::annotate
