#include "gang/desk/board/same_pod.h"

#include <algorithm>

namespace outrigger::desk {
namespace {

bool TolerateTheSame(const Pod& a, const Pod& b) {
  return std::equal(a.tolerations.begin(), a.tolerations.end(), b.tolerations.begin(),
                    b.tolerations.end(), [](const Toleration& x, const Toleration& y) {
                      return x.key == y.key && x.value == y.value && x.exists == y.exists &&
                             x.effect == y.effect;
                    });
}

bool UseTheSamePorts(const Pod& a, const Pod& b) {
  return std::equal(a.host_ports.begin(), a.host_ports.end(), b.host_ports.begin(),
                    b.host_ports.end(), [](const HostPort& x, const HostPort& y) {
                      return x.port == y.port && x.protocol == y.protocol && x.ip == y.ip;
                    });
}

bool RequestTheSame(const Pod& a, const Pod& b) {
  const ResourceList x = RequestsOf(a);
  const ResourceList y = RequestsOf(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end());
}

}  // namespace

bool AskNodesTheSame(const Pod& a, const Pod& b) {
  return a.node_selector == b.node_selector &&
         a.affinity.required_node == b.affinity.required_node && UseTheSamePorts(a, b) &&
         TolerateTheSame(a, b) && RequestTheSame(a, b);
}

bool AskTheSame(const PodPtr& a, const PodPtr& b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr) return false;
  // Nothing else of a pod that waits can change, but while it has gates.
  return a->labels == b->labels && a->scheduling_gates == b->scheduling_gates &&
         a->resource_claims == b->resource_claims && TolerateTheSame(*a, *b) &&
         RequestTheSame(*a, *b);
}

}  // namespace outrigger::desk
