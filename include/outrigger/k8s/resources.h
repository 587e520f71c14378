#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "outrigger/k8s/quantity.h"

namespace outrigger {

/// Amounts by resource name ("cpu", "memory", "nvidia.com/gpu"), in the order of the names; a
/// missing resource is zero.
///
/// As StringMap: code that reads input of unknown size uses Append() and then Normalize(); between
/// the two, only Append(), Normalize(), clear() and assignment are allowed. Thread-compatible.
class ResourceList {
 public:
  struct Entry {
    std::string name;
    Quantity quantity;
    friend bool operator==(const Entry&, const Entry&) = default;
  };

  using value_type = Entry;
  using const_iterator = std::vector<Entry>::const_iterator;

  ResourceList() = default;
  ResourceList(std::initializer_list<Entry> entries);

  /// Sets the amount of `name`; the last setting wins.
  void Set(std::string_view name, const Quantity& quantity);

  /// Adds an entry without looking for its name; Normalize() must follow before the list is read.
  void Append(std::string_view name, const Quantity& quantity);
  /// Ends a series of Append(): orders the entries; of several with one name the last one stays.
  void Normalize();

  /// The amount of `name`, or zero.
  Quantity Get(std::string_view name) const;
  /// The amount of `name`, or nullptr where it is not listed.
  const Quantity* Find(std::string_view name) const;

  /// Adds every amount of `other`; linear in both.
  void Add(const ResourceList& other);
  /// Raises every amount to that of `other` where it is smaller or missing; linear in both.
  void Max(const ResourceList& other);

  /// Subtracts every amount of `other`; an amount not listed here becomes negative.
  void Subtract(const ResourceList& other);
  /// True if no nonzero amount of `requests` is larger than the one here.
  bool Covers(const ResourceList& requests) const;

  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  /// Removes the entries and keeps the allocated memory.
  void clear() {
    entries_.clear();
    in_order_ = true;
  }
  const_iterator begin() const { return entries_.begin(); }
  const_iterator end() const { return entries_.end(); }
  friend bool operator==(const ResourceList& a, const ResourceList& b) = default;

 private:
  template <typename Combine>
  void Merge(const ResourceList& other, Combine combine);

  std::vector<Entry> entries_;
  bool in_order_ = true;  // names strictly increase; false only between Append() and Normalize()
};

inline constexpr std::string_view kCpu = "cpu";
inline constexpr std::string_view kMemory = "memory";
inline constexpr std::string_view kPods = "pods";
inline constexpr std::string_view kEphemeralStorage = "ephemeral-storage";

struct Pod;

/// What `pod` requests of a node, as kube-scheduler counts it
/// (k8s.io/component-helpers/resource.PodRequests, KEPs 753 and 2837): the sum over containers and
/// restartable init containers (sidecars), or what any ordinary init container needs together with
/// the sidecars started before it, whichever is larger per resource; pod-level requests, where
/// given, take the place of that for cpu, memory and hugepages; overhead is added last. "pods" is
/// not part of it. Uses the spec only, so it is right for a pod that has never run.
ResourceList PodRequests(const Pod& pod);

/// What `pod` uses of its node, as kube-scheduler counts it
/// (k8s.io/component-helpers/resource.PodRequests with UseStatusResources). While a resize is under
/// way the largest of three counts: the spec, unless the kubelet has called the resize infeasible,
/// what is allocated, and what is in effect; Pod::resize_counting says at which level. The spec
/// replaces values that the status does not report. Needs the pod's status fields; without them it
/// equals PodRequests().
ResourceList PodRequestsOnNode(const Pod& pod);

}  // namespace outrigger
