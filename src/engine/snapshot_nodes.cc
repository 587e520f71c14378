#include "engine/snapshot_nodes.h"

#include <algorithm>
#include <array>

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
  void FindAll(std::span<const std::string_view> names,
               std::span<const Node*> found) const override {
    constexpr size_t kAtOnce = 256;
    std::array<const cluster::NodeState*, kAtOnce> states{};
    for (size_t begin = 0; begin < names.size(); begin += kAtOnce) {
      const size_t count = std::min(kAtOnce, names.size() - begin);
      snapshot_->FindNodes(names.subspan(begin, count), std::span(states).first(count));
      for (size_t i = 0; i < count; ++i) {
        found[begin + i] = states[i] == nullptr ? nullptr : states[i]->node.get();
      }
    }
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
