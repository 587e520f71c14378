#include "load/annotate/allocation_source.h"

#include <utility>

#include "load/annotate/allocation_counter.h"
#include "load/annotate/allocation_keys.h"
#include "load/annotate/original_decimal.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::annotate {
namespace {

// It had died of a text that is no quantity; that counts as 0.
OriginalDecimal Amount(const OriginalList& list, std::string_view resource) {
  const auto found = list.find(resource);
  if (found == list.end()) return {};
  return OriginalDecimal::Parse(found->second).value_or(OriginalDecimal());
}

OriginalDecimal MilliOf(const OriginalDecimal& amount) {
  return OriginalDecimal((amount * OriginalDecimal(1000)).Truncated());
}

OriginalList ListOf(const ResourceList& resources) {
  OriginalList list;
  for (const ResourceList::Entry& entry : resources) list[entry.name] = entry.quantity.ToString();
  return list;
}

}  // namespace

void OriginalAllocation::AddPod(const std::vector<OriginalList>& containers) {
  for (const AllocatedResource& resource : kAllocated) {
    OriginalDecimal sum;
    for (const OriginalList& container : containers) {
      sum = sum + Amount(container, resource.name);
    }
    if (resource.name == kPods) sum = OriginalDecimal(1);
    OriginalDecimal& total = requested_[std::string(resource.name)];
    total = total + (resource.name == kCpu ? MilliOf(sum) : sum);
  }
}

Annotations OriginalAllocation::Values(const OriginalList& allocatable) const {
  Annotations values;
  for (const AllocatedResource& resource : kAllocated) {
    OriginalDecimal capacity = Amount(allocatable, resource.name);
    if (resource.name == kCpu) capacity = MilliOf(capacity);
    OriginalDecimal requested;
    if (const auto found = requested_.find(resource.name); found != requested_.end()) {
      requested = found->second;
    }
    const OriginalDecimal free = capacity - requested;
    const std::string name(resource.name);
    values[std::string(kRequestedPrefix) + name] = requested.ToString();
    values[std::string(kFreePrefix) + name] =
        free.IsNegative() ? std::string("0") : free.ToString();
  }
  return values;
}

NodeValues CountOriginal(const NodeView& node) {
  if (node.node().ready != ConditionStatus::kTrue) return ValuesOfUnready(node);
  OriginalAllocation allocation;
  for (const PodView view : node.Pods()) {
    if (view.Phase() != "Running") continue;
    const Pod pod = view.Unpack();
    std::vector<OriginalList> containers;
    for (const Container& container : pod.containers) {
      containers.push_back(ListOf(container.requests));
    }
    allocation.AddPod(containers);
  }
  NodeValues values;
  values.node = node.Name();
  values.values = allocation.Values(ListOf(node.node().allocatable));
  return values;
}

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
