#include "serve/engine/snapshot_nodes.h"

#include <thread>

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
  bool FindAll(std::span<const std::string_view> names, std::span<NodeRef> found) const override {
    return snapshot_->FindNodes(names, found);
  }
  uint64_t generation() const override { return snapshot_->generation(); }

 private:
  const std::shared_ptr<const cluster::Snapshot> snapshot_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const NodeView>> SnapshotNodes::Pin() const {
  absl::Status usable = usable_();
  if (!usable.ok()) return usable;
  return std::make_shared<SnapshotView>(cluster_.Take());
}

// Looks again and again: who waits here is one call in a second at most.
bool SnapshotNodes::AwaitChange(uint64_t generation, std::chrono::milliseconds limit,
                                const std::stop_token& abandoned) const {
  constexpr std::chrono::milliseconds kLook{1};
  const auto end = std::chrono::steady_clock::now() + limit;
  while (cluster_.Take()->generation() == generation) {
    if (abandoned.stop_requested() || std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(kLook);
  }
  return true;
}

}  // namespace outrigger::engine
