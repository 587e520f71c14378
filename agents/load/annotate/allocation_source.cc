#include "load/annotate/allocation_source.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "load/annotate/node_values.h"
#include "load/annotate/original_decimal.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::annotate {

// Counts what the pods of a node request, and what is free, as kube-scheduler counts it: every pod
// from its binding until it has finished, with init containers, overhead and resizes
// (PodRequestsOnNode()). cpu in millicores, memory and ephemeral-storage in bytes, all as integers
// rounded up as kube-scheduler rounds. Free is allocatable without requested, at least 0.
// Thread-compatible.
class AllocationCounter {
 public:
  // `gpu`: the extended resource that the annotations call gpu.
  explicit AllocationCounter(std::string gpu) : gpu_(std::move(gpu)) {}

  // A node that is not Ready has no values; cause "not-ready".
  NodeValues Count(const NodeView& node) const;

 private:
  const std::string gpu_;
};

namespace {

std::string Key(std::string_view prefix, std::string_view resource) {
  return std::string(prefix) + std::string(resource);
}

int64_t AmountOf(std::string_view resource, const Quantity& quantity) {
  return resource == kCpu ? quantity.MilliValue() : quantity.Value();
}

// What a node has that is not Ready: no value, with cause "not-ready", for each annotation.
NodeValues ValuesOfUnready(const NodeView& node) {
  NodeValues values;
  values.node = node.Name();
  for (std::string& key : AllocationKeys()) {
    values.missing.push_back({.annotation = std::move(key),
                              .cause = "not-ready",
                              .detail = "the node is not Ready",
                              .lack = Lack::kLost});
  }
  return values;
}

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

std::vector<std::string> AllocationKeys() {
  std::vector<std::string> keys;
  for (const AllocatedResource& resource : kAllocated) {
    keys.push_back(Key(kRequestedPrefix, resource.name));
    keys.push_back(Key(kFreePrefix, resource.name));
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

NodeValues AllocationCounter::Count(const NodeView& node) const {
  if (node.node().ready != ConditionStatus::kTrue) return ValuesOfUnready(node);
  NodeValues values;
  values.node = node.Name();
  for (const AllocatedResource& resource : kAllocated) {
    const std::string_view name = resource.name == "gpu" ? std::string_view(gpu_) : resource.name;
    const int64_t requested = AmountOf(name, node.Requested(name));
    const int64_t capacity = AmountOf(name, node.node().allocatable.Get(name));
    int64_t free = 0;
    if (__builtin_sub_overflow(capacity, requested, &free)) free = 0;  // amounts are absurd then
    values.values[Key(kRequestedPrefix, resource.name)] = std::to_string(requested);
    values.values[Key(kFreePrefix, resource.name)] = std::to_string(std::max<int64_t>(free, 0));
  }
  return values;
}

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
