#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "demand/resources.h"
#include "fleet.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "outrigger/agent/node_memo.h"
#include "outrigger/agent/request.h"

namespace outrigger::pigeon {

/// Where the requests on nodes come from.
enum class Usage : uint8_t {
  kPods,         ///< the pods that the snapshot has on each
  kAnnotations,  ///< the annotations requested-*
};

/// All nodes of the cluster as a fleet, kept from snapshot to snapshot: a call costs a look at each
/// node and the work for those that changed. Cordoned nodes have rows and are in no sum.
/// Thread-compatible.
class ClusterModel {
 public:
  /// `resources` outlives this.
  ClusterModel(const Resources* resources, size_t prime, Usage usage);

  /// Takes over what `snapshot` says. Malformed annotations are reported to `request`.
  void Follow(std::shared_ptr<const ClusterSnapshot> snapshot, const Request& request);
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
  bool Refresh(const ClusterSnapshot& snapshot, const Request& request);
  void Rebuild(const ClusterSnapshot& snapshot, const Request& request);
  Amounts UsedOf(const NodeView& view, const Request& request) const;

  const Resources& resources_;
  const Usage usage_;
  Fleet fleet_;
  std::shared_ptr<const ClusterSnapshot> snapshot_;  // that the sources are of
  std::vector<Source> sources_;                      // by row, as the next
  std::vector<std::string> names_;
  std::unordered_map<std::string, int64_t> rows_;
  std::unique_ptr<NodeMemo<int64_t>> memo_;  // rows by revision; new when rows change places
};

}  // namespace outrigger::pigeon
