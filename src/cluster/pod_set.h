#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "cluster/pod_record.h"
#include "cluster/shared.h"

namespace outrigger::cluster {

/// A persistent set of pods in the order of namespace and name: a treap, of which copies share what
/// is equal; a change copies a path. Copies may be read while the writer goes on with its own (see
/// shared.h).
class PodSet {
 public:
  size_t size() const { return size_; }
  /// Adds `pod`, or replaces the one of its key.
  void Put(const PodPtr& pod, uint64_t epoch);
  /// Takes out the pod of `key`, if it is there.
  void Erase(const PodKey& key, uint64_t epoch);
  void ForEach(absl::FunctionRef<void(const PodPtr& pod)> visit) const;

 private:
  struct Node;

  static bool Put(Ref<Node>& at, const PodPtr& pod, uint64_t epoch);
  static void Erase(Ref<Node>& at, const PodKey& key, uint64_t epoch);
  static Ref<Node> Merge(Ref<Node> left, Ref<Node> right, uint64_t epoch);
  static void ForEachBelow(const Ref<Node>& at, absl::FunctionRef<void(const PodPtr& pod)> visit);
  bool Contains(const PodKey& key) const;

  Ref<Node> root_;
  size_t size_ = 0;
};

/// A node of the treap: behind its left and before its right branch; its priority, drawn at random,
/// is none below theirs, which keeps the tree flat whatever comes in whichever order.
struct PodSet::Node : Shared {
  Node(PodPtr the_pod, uint64_t epoch);
  Node(const Node& other, uint64_t epoch);

  const uint32_t priority;
  PodPtr pod;
  Ref<Node> left;
  Ref<Node> right;
};

}  // namespace outrigger::cluster
