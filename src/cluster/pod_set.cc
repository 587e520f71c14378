#include "cluster/pod_set.h"

#include <atomic>
#include <compare>
#include <utility>

namespace outrigger::cluster {
namespace {

// SplitMix64: spread well enough for priorities, and nobody outside can foresee its state.
uint32_t RandomPriority() {
  static std::atomic<uint64_t> state{reinterpret_cast<uintptr_t>(&state)};
  uint64_t bits = state.fetch_add(0x9E3779B97F4A7C15U, std::memory_order_relaxed);
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
  return static_cast<uint32_t>(bits >> 32);
}

}  // namespace

PodSet::Node::Node(PodPtr the_pod, uint64_t epoch)
    : Shared(epoch), priority(RandomPriority()), pod(std::move(the_pod)) {}

PodSet::Node::Node(const Node& other, uint64_t epoch)
    : Shared(epoch),
      priority(other.priority),
      pod(other.pod),
      left(other.left),
      right(other.right) {}

void PodSet::Put(const PodPtr& pod, uint64_t epoch) {
  if (Put(root_, pod, epoch)) ++size_;
}

bool PodSet::Put(Ref<Node>& at, const PodPtr& pod, uint64_t epoch) {
  if (!at) {
    at = Ref<Node>(new Node(pod, epoch));
    return true;
  }
  Node& node = Own(at, epoch);
  const auto order = pod->key() <=> node.pod->key();
  if (std::is_eq(order)) {
    node.pod = pod;
    return false;
  }
  const bool is_left = std::is_lt(order);
  Ref<Node>& branch = is_left ? node.left : node.right;
  const bool added = Put(branch, pod, epoch);
  if (branch->priority > node.priority) {
    // The branch, which is owned since just now, comes up; what is between the two changes sides.
    Ref<Node> up = std::move(branch);
    (is_left ? node.left : node.right) = std::move(is_left ? up->right : up->left);
    (is_left ? up->right : up->left) = std::move(at);
    at = std::move(up);
  }
  return added;
}

bool PodSet::Contains(const PodKey& key) const {
  const Node* node = root_.get();
  while (node != nullptr) {
    const auto order = key <=> node->pod->key();
    if (std::is_eq(order)) return true;
    node = std::is_lt(order) ? node->left.get() : node->right.get();
  }
  return false;
}

void PodSet::Erase(const PodKey& key, uint64_t epoch) {
  if (!Contains(key)) return;  // a miss copies nothing
  Erase(root_, key, epoch);
  --size_;
}

void PodSet::Erase(Ref<Node>& at, const PodKey& key, uint64_t epoch) {
  const auto order = key <=> at->pod->key();
  if (std::is_eq(order)) {
    at = Merge(at->left, at->right, epoch);
  } else {
    Node& node = Own(at, epoch);
    Erase(std::is_lt(order) ? node.left : node.right, key, epoch);
  }
}

Ref<PodSet::Node> PodSet::Merge(Ref<Node> left, Ref<Node> right, uint64_t epoch) {
  if (!left) return right;
  if (!right) return left;
  if (left->priority >= right->priority) {
    Node& node = Own(left, epoch);
    node.right = Merge(std::move(node.right), std::move(right), epoch);
    return left;
  }
  Node& node = Own(right, epoch);
  node.left = Merge(std::move(left), std::move(node.left), epoch);
  return right;
}

void PodSet::ForEach(absl::FunctionRef<void(const PodPtr& pod)> visit) const {
  ForEachBelow(root_, visit);
}

void PodSet::ForEachBelow(const Ref<Node>& at, absl::FunctionRef<void(const PodPtr& pod)> visit) {
  if (!at) return;
  ForEachBelow(at->left, visit);
  visit(at->pod);
  ForEachBelow(at->right, visit);
}

}  // namespace outrigger::cluster
