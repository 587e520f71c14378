#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "outrigger/k8s/node.h"

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

}  // namespace outrigger::plan
