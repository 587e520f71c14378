#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "outrigger/k8s/node.h"

// Counts of pods by domain. Thread-compatible.

namespace outrigger::plan {

/// Instead of a domain: the node lacks the label, does not count, or is not there.
inline constexpr int32_t kNowhere = -1;

/// The domain of the node in each slot.
using Places = std::vector<int32_t>;

/// The domains of one topology key: the values that nodes have of this label, numbered. The number
/// of a value that no node has any more is given to another one. Thread-compatible.
class Axis {
 public:
  explicit Axis(std::string label) : label_(std::move(label)) {}

  /// Stays where it is while the axis lives.
  const Places& places() const { return places_; }
  void Resize(size_t slots) { places_.resize(slots, kNowhere); }
  /// The node of a slot has come, changed or, null, gone. Whatever is counted by domain must not
  /// count anything in this slot meanwhile.
  void Set(size_t slot, const Node* node);

 private:
  struct Domain {
    std::string value;
    size_t nodes = 0;
  };

  int32_t DomainOf(const std::string& value);
  void Leave(int32_t domain);

  const std::string label_;
  Places places_;
  std::vector<Domain> domains_;
  std::vector<int32_t> unused_;
  absl::flat_hash_map<std::string, int32_t> by_value_;
};

/// Pods by domain. Those in slots without one are not counted.
class Tally {
 public:
  /// `places` outlives this.
  explicit Tally(const Places* places) : places_(places) {}

  /// `by` more pods, or fewer, are in the slot.
  void Change(size_t slot, int32_t by) {
    const int32_t domain = (*places_)[slot];
    if (domain == kNowhere) return;
    const auto at = static_cast<size_t>(domain);
    if (at >= counts_.size()) counts_.resize(at + 1);
    counts_[at] += by;
    total_ += by;
  }

  bool HasDomain(size_t slot) const { return (*places_)[slot] != kNowhere; }
  /// True if there is a pod in the slot's domain.
  bool Any(size_t slot) const {
    // Nowhere becomes larger than every domain.
    const auto at = static_cast<size_t>(static_cast<uint32_t>((*places_)[slot]));
    return at < counts_.size() && counts_[at] > 0;
  }
  int64_t total() const { return total_; }

 private:
  const Places* places_;
  std::vector<int32_t> counts_;
  int64_t total_ = 0;
};

/// Pods by domain over some of the nodes, with the least count of all domains that have such a
/// node.
class SpreadTally {
 public:
  /// Makes the slot's node count in `domain`, or, kNowhere, not count. No pod may be counted in the
  /// slot meanwhile.
  void Place(size_t slot, int32_t domain);

  /// `by` more pods, or fewer, are in the slot. Constant time for one.
  void Change(size_t slot, int32_t by);

  /// Domains that have a node that counts.
  size_t domains() const { return domain_count_; }
  /// The least number of pods in one of these domains; there must be one.
  int64_t minimum() const { return static_cast<int64_t>(minimum_); }
  /// Pods in a domain; none in one that no node that counts is in.
  int64_t CountIn(int32_t domain) const {
    const auto at = static_cast<size_t>(static_cast<uint32_t>(domain));
    return at < domains_.size() ? static_cast<int64_t>(domains_[at].pods) : 0;
  }

 private:
  struct Domain {
    uint32_t nodes = 0;
    uint32_t pods = 0;
  };

  void Enter(size_t level);
  void Leave(size_t level);

  Places places_;
  std::vector<Domain> domains_;
  std::vector<uint32_t> levels_;  // how many domains have so many pods
  size_t domain_count_ = 0;
  size_t minimum_ = 0;
};

}  // namespace outrigger::plan
