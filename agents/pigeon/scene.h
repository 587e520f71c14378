#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>

#include "absl/status/statusor.h"
#include "cluster_model.h"
#include "demand/resources.h"
#include "fleet.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/request.h"

namespace outrigger::pigeon {

/// The model of the cluster, and which call may use it now.
struct SharedModel {
  std::mutex mutex;
  ClusterModel model;  // guarded by `mutex`
};

/// A node of a call. Spans live until the next one is asked for.
struct Candidate {
  bool known = false;         ///< false: of the node only the name is known
  std::optional<size_t> row;  ///< in the fleet; nothing: it is not in it
  std::span<const double> capacity = {};
  std::span<const double> used = {};

  double Free(size_t resource) const { return capacity[resource] - used[resource]; }
};

/// What one call sees: the fleet, and where in it the nodes of the call are. The fleet is the
/// cluster; where none is known, the nodes of the call with their annotations. Not thread-safe;
/// holds the model as long as it lives.
class Scene {
 public:
  /// Both outlive this; `model` may be null: there is no cluster. `view` goes with `model`.
  Scene(const Request& request, const Resources& resources, size_t prime, SharedModel* model,
        std::shared_ptr<const ClusterSnapshot> snapshot);

  const Fleet& fleet() const { return model_ != nullptr ? model_->fleet() : *own_; }
  /// Quickest in order.
  Candidate At(size_t i);

 private:
  Candidate OfRow(size_t row) const;
  void TakeNodesOfCall();

  const Request& request_;
  const Resources& resources_;
  std::unique_lock<std::mutex> lock_;
  ClusterModel* model_ = nullptr;  // null: the nodes of the call are the fleet
  std::optional<ClusterModel::Rows> rows_;
  std::optional<Fleet> own_;
  std::vector<std::optional<size_t>> own_rows_;  // by node of the call
  Amounts capacity_;                             // of the last candidate outside the fleet
  Amounts used_;
};

}  // namespace outrigger::pigeon
