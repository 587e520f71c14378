#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/snapshot.h"
#include "load/annotate/node_values.h"
#include "load/annotate/original_decimal.h"
#include "load/annotate/value_source.h"
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

struct AllocationOptions {
  std::string gpu = "nvidia.com/gpu";  // the extended resource that the annotations call gpu
  bool original_arithmetic = false;    // OriginalAllocation
};

/// What the pods of each node request, from the view of the cluster. A round about what changed
/// costs a comparison of pointers for each node that did not.
class AllocationSource final : public ValueSource {
 public:
  explicit AllocationSource(AllocationOptions options);
  ~AllocationSource() override;

  absl::StatusOr<std::vector<NodeValues>> Compute(std::shared_ptr<const ClusterSnapshot> snapshot,
                                                  Scope scope, std::stop_token stop) override;
  const std::vector<std::string>& Keys() const override { return keys_; }
  Needs Reads() const override;
  bool FollowsCluster() const override { return true; }
  bool NeedsHistory() const override { return false; }

 private:
  class Arithmetic;

  const std::vector<std::string> keys_;
  const AllocationOptions options_;
  const std::unique_ptr<const Arithmetic> arithmetic_;
  /// Of the round before. It is held, so that no node of it has the address of a newer one.
  std::shared_ptr<const cluster::Snapshot> before_;
};

/// A resource of which `annotate allocation` writes what is requested and what is free.
struct AllocatedResource {
  std::string_view name;  // in the annotations: "requested-cpu"
  std::string_view unit;  // for people
};

/// In the order of the original program, which the agent pigeon shares.
inline constexpr std::array<AllocatedResource, 5> kAllocated = {{
    {"cpu", "millicores"},
    {"memory", "bytes"},
    {"pods", "pods"},
    {"gpu", "devices"},
    {"ephemeral-storage", "bytes"},
}};

inline constexpr std::string_view kRequestedPrefix = "requested-";
inline constexpr std::string_view kFreePrefix = "free-";

/// requested-X and free-X of all resources, sorted.
std::vector<std::string> AllocationKeys();

}  // namespace outrigger::annotate
