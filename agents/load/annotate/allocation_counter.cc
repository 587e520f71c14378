#include "load/annotate/allocation_counter.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "load/annotate/allocation_keys.h"
#include "outrigger/k8s/node.h"

namespace outrigger::annotate {
namespace {

std::string Key(std::string_view prefix, std::string_view resource) {
  return std::string(prefix) + std::string(resource);
}

int64_t AmountOf(std::string_view resource, const Quantity& quantity) {
  return resource == kCpu ? quantity.MilliValue() : quantity.Value();
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

}  // namespace outrigger::annotate
