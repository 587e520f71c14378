#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "outrigger/k8s/quantity.h"

namespace outrigger {

/// Amounts by resource name ("cpu", "memory", "nvidia.com/gpu"); a missing resource is zero.
class ResourceList {
 public:
  struct Entry {
    std::string name;
    Quantity quantity;
    friend bool operator==(const Entry&, const Entry&) = default;
  };

  ResourceList() = default;
  ResourceList(std::initializer_list<Entry> entries);

  void Set(std::string_view name, const Quantity& quantity);
  /// The amount of `name`, or zero.
  Quantity Get(std::string_view name) const;
  /// The amount of `name`, or nullptr where it is not listed.
  const Quantity* Find(std::string_view name) const;

  /// Adds every amount of `other`.
  void Add(const ResourceList& other);
  /// Raises every amount to that of `other` where it is smaller.
  void Max(const ResourceList& other);

  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  void clear() { entries_.clear(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  std::vector<Entry> entries_;
};

inline constexpr std::string_view kCpu = "cpu";
inline constexpr std::string_view kMemory = "memory";
inline constexpr std::string_view kPods = "pods";
inline constexpr std::string_view kEphemeralStorage = "ephemeral-storage";

struct Pod;

/// What `pod` asks of a node, as kube-scheduler counts it
/// (k8s.io/component-helpers/resource.PodRequests, KEPs 753 and 2837):
/// the sum over containers and restartable init containers (sidecars), or what any ordinary init
/// container needs together with the sidecars started before it, whichever is larger per resource;
/// pod-level requests, where given, take the place of that for the resources they name; overhead is
/// added last. "pods" is not part of it.
ResourceList PodRequests(const Pod& pod);

}  // namespace outrigger
