#include "apiserver/controllers/pod_order.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace outrigger::apiserver {
namespace {

int PhaseRank(const std::string& phase) {
  if (phase == "Pending") return 0;
  return phase == "Running" ? 2 : 1;
}

}  // namespace

void SortToDelete(std::vector<Pod>* pods) {
  std::map<std::string, int> on_node;
  for (const Pod& pod : *pods) {
    if (!pod.facts->node.empty()) ++on_node[pod.facts->node];
  }
  const auto rank = [&](const Pod& pod) {
    const PodFacts& facts = *pod.facts;
    const bool is_placed = !facts.node.empty();
    return std::make_tuple(is_placed, PhaseRank(facts.phase), facts.ready, facts.deletion_cost,
                           is_placed ? -on_node[facts.node] : 0,
                           -facts.ready_since.time_since_epoch().count(), -facts.restarts,
                           -facts.created.time_since_epoch().count());
  };
  std::stable_sort(pods->begin(), pods->end(),
                   [&](const Pod& a, const Pod& b) { return rank(a) < rank(b); });
}

}  // namespace outrigger::apiserver
