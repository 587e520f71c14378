#pragma once

#include <memory>
#include <string>
#include <vector>

#include "annotate/value_source.h"
#include "cluster/snapshot.h"

namespace outrigger::annotate {

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

}  // namespace outrigger::annotate
