#include "annotate/original_allocation.h"

#include <utility>

#include "annotate/allocation_counter.h"
#include "annotate/allocation_keys.h"
#include "annotate/original_decimal.h"
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

}  // namespace outrigger::annotate
