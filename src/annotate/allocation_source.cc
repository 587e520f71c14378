#include "annotate/allocation_source.h"

#include <utility>

#include "annotate/allocation_counter.h"
#include "annotate/allocation_keys.h"
#include "annotate/original_allocation.h"

namespace outrigger::annotate {

/// One of the two ways to count.
class AllocationSource::Arithmetic {
 public:
  explicit Arithmetic(const AllocationOptions& options)
      : original_(options.original_arithmetic), counter_(options.gpu) {}

  NodeValues Count(const NodeView& node) const {
    return original_ ? CountOriginal(node) : counter_.Count(node);
  }

 private:
  const bool original_;
  const AllocationCounter counter_;
};

AllocationSource::AllocationSource(AllocationOptions options)
    : keys_(AllocationKeys()),
      options_(std::move(options)),
      arithmetic_(std::make_unique<Arithmetic>(options_)) {}

AllocationSource::~AllocationSource() = default;

Needs AllocationSource::Reads() const {
  return Needs().NodeAllocatable().NodeReady().ClusterPods().PodResources().PodStatus();
}

absl::StatusOr<std::vector<NodeValues>> AllocationSource::Compute(
    std::shared_ptr<const ClusterSnapshot> snapshot, Scope scope, std::stop_token /*stop*/) {
  auto now = cluster::Snapshot::Of(std::move(snapshot));
  std::vector<NodeValues> values;
  const size_t slots = now->node_slots();
  for (size_t slot = 0; slot < slots; ++slot) {
    const cluster::NodeState* const state = now->NodeAt(slot);
    if (state == nullptr) continue;
    const bool is_known = scope == Scope::kChanged && before_ != nullptr &&
                          slot < before_->node_slots() && before_->NodeAt(slot) == state;
    if (is_known) continue;
    const auto node = now->ClusterSnapshot::FindNode(state->node->name);
    if (node) values.push_back(arithmetic_->Count(*node));
  }
  before_ = std::move(now);
  return values;
}

}  // namespace outrigger::annotate
