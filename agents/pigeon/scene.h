#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "demand/resources.h"
#include "fleet.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "outrigger/agent/node_memo.h"
#include "outrigger/agent/request.h"
#include "outrigger/base/mutex.h"

namespace outrigger::pigeon {

/// All nodes of the cluster as a fleet, with what the pods on each request, kept from snapshot to
/// snapshot: a call costs a look at each node and the work for those that changed. Cordoned nodes
/// have rows and are in no sum. Thread-compatible.
class ClusterModel {
 public:
  /// `resources` outlives this.
  ClusterModel(const Resources* resources, size_t prime);

  /// Takes over what `snapshot` says.
  void Follow(std::shared_ptr<const ClusterSnapshot> snapshot);
  const Fleet& fleet() const { return fleet_; }

  /// Where nodes of one call are in the fleet. Follow() is not called while it lives.
  class Rows {
   public:
    Rows(ClusterModel* model, const NodeList& nodes)
        : model_(*model), nodes_(nodes), memo_(model->memo_.get(), nodes) {}
    /// The row of the node at `i`, or nothing: the snapshot does not have it. Quickest in order.
    std::optional<size_t> At(size_t i) {
      const int64_t row = memo_.Get(i, [&] { return model_.Find(nodes_[i].name); });
      return row < 0 ? std::nullopt : std::optional(static_cast<size_t>(row));
    }

   private:
    ClusterModel& model_;
    const NodeList nodes_;
    NodeMemo<int64_t>::Session memo_;
  };

 private:
  // What a row was made from. Objects of a snapshot never change, so the same address is the same
  // content as long as that snapshot is held.
  struct Source {
    const Node* node = nullptr;
    const ResourceList* requested = nullptr;
    friend bool operator==(const Source&, const Source&) = default;
  };
  static Source SourceOf(const NodeView& view) { return {&view.node(), &view.Requested()}; }

  int64_t Find(const std::string& name) const;
  bool Refresh(const ClusterSnapshot& snapshot);
  void Rebuild(const ClusterSnapshot& snapshot);

  const Resources& resources_;
  Fleet fleet_;
  std::shared_ptr<const ClusterSnapshot> snapshot_;  // that the sources are of
  std::vector<Source> sources_;                      // by row, as the next
  std::vector<std::string> names_;
  std::unordered_map<std::string, int64_t> rows_;
  std::unique_ptr<NodeMemo<int64_t>> memo_;  // rows by revision; new when rows change places
};

/// The model of the cluster, and which call may use it now.
struct SharedModel {
  Mutex mutex;
  ClusterModel model ABSL_GUARDED_BY(mutex);
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
  std::unique_lock<Mutex> lock_;
  ClusterModel* model_ = nullptr;  // null: the nodes of the call are the fleet
  std::optional<ClusterModel::Rows> rows_;
  std::optional<Fleet> own_;
  std::vector<std::optional<size_t>> own_rows_;  // by node of the call
  Amounts capacity_;                             // of the last candidate outside the fleet
  Amounts used_;
};

}  // namespace outrigger::pigeon
