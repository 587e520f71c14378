#include "engine/snapshot_nodes.h"

namespace outrigger::engine {
namespace {

class SnapshotView final : public NodeView {
 public:
  explicit SnapshotView(std::shared_ptr<const cluster::Snapshot> snapshot)
      : snapshot_(std::move(snapshot)) {}
  const Node* Find(std::string_view name) const override {
    const cluster::NodeState* state = snapshot_->FindNode(name);
    return state == nullptr ? nullptr : state->node.get();
  }
  void FindAll(const names::HashedNames& names, std::span<NodeRef> found) const override {
    snapshot_->FindNodes(names, found);
  }

 private:
  const std::shared_ptr<const cluster::Snapshot> snapshot_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const NodeView>> SnapshotNodes::Pin() const {
  absl::Status usable = usable_();
  if (!usable.ok()) return usable;
  return std::make_shared<SnapshotView>(cluster_.Take());
}

}  // namespace outrigger::engine
