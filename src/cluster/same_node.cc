#include "cluster/same_node.h"

#include <algorithm>

#include "cluster/packing.h"

namespace outrigger::cluster {
namespace {

bool Same(const ResourceList& a, const ResourceList& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ResourceList::Entry& x, const ResourceList::Entry& y) {
                      return x.name == y.name && Identical(x.quantity, y.quantity);
                    });
}

bool Same(const std::vector<Taint>& a, const std::vector<Taint>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Taint& x, const Taint& y) {
    return x.key == y.key && x.value == y.value && x.effect == y.effect;
  });
}

}  // namespace

bool SameButState(const Node& a, const Node& b) {
  // Named in full, so that a field that is added has to be thought of here.
  const auto& [name, labels, annotations, allocatable, capacity, taints, unschedulable, addresses,
               ready, resource_version, revision, known] = a;
  static_cast<void>(addresses);
  static_cast<void>(ready);
  static_cast<void>(resource_version);
  static_cast<void>(revision);
  return name == b.name && labels == b.labels && annotations == b.annotations &&
         Same(allocatable, b.allocatable) && Same(capacity, b.capacity) && Same(taints, b.taints) &&
         unschedulable == b.unschedulable && known == b.known;
}

bool SameState(const Node& a, const Node& b) {
  return a.addresses == b.addresses && a.ready == b.ready;
}

}  // namespace outrigger::cluster
