#include "lab/nodes/room.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "fmt/format.h"

namespace outrigger::lab {
namespace {

constexpr std::array<std::string_view, 3> kCheckedFirst = {kCpu, kMemory, kEphemeralStorage};

int64_t CountOf(std::string_view resource, const Quantity& amount) {
  return resource == kCpu ? amount.MilliValue() : amount.Value();
}

/// A kubelet does not look for extended resources that its node does not have: they may be the
/// cluster's.
bool IsExtended(std::string_view resource) {
  return resource.find('/') != std::string_view::npos &&
         resource.find("kubernetes.io/") == std::string_view::npos;
}

}  // namespace

std::optional<Rejection> NodeRoom::Check(std::string_view resource, int64_t requested, int64_t used,
                                         int64_t capacity) const {
  if (requested <= 0 || requested <= capacity - used) return std::nullopt;
  return Rejection{
      fmt::format("OutOf{}", resource),
      fmt::format("Node didn't have enough resource: {}, requested: {}, used: {}, capacity: {}",
                  resource, requested, used, capacity)};
}

std::optional<Rejection> NodeRoom::Admit(const ResourceList& requests) {
  const auto check = [&](std::string_view name) {
    return Check(name, CountOf(name, requests.Get(name)), CountOf(name, used_.Get(name)),
                 CountOf(name, allocatable_.Get(name)));
  };
  if (auto full = Check(kPods, 1, pods_, allocatable_.Get(kPods).Value())) return full;
  for (const std::string_view name : kCheckedFirst) {
    if (auto full = check(name)) return full;
  }
  for (const auto& [name, amount] : requests) {
    if (std::find(kCheckedFirst.begin(), kCheckedFirst.end(), name) != kCheckedFirst.end()) {
      continue;
    }
    if (IsExtended(name) && allocatable_.Find(name) == nullptr) continue;
    if (auto full = check(name)) return full;
  }
  Take(requests);
  return std::nullopt;
}

void NodeRoom::Take(const ResourceList& requests) {
  ++pods_;
  used_.Add(requests);
}

void NodeRoom::Give(const ResourceList& requests) {
  --pods_;
  used_.Subtract(requests);
}

}  // namespace outrigger::lab
