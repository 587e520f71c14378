#include "plan/pairs/term_ids.h"

#include <algorithm>
#include <string>

#include "absl/hash/hash.h"
#include "plan/pairs/pair_terms.h"

namespace outrigger::plan {

bool AsksOfOthers(const Pod& pod) {
  return !pod.affinity.required_pod.empty() || !pod.affinity.required_pod_anti.empty() ||
         std::any_of(pod.topology_spread.begin(), pod.topology_spread.end(),
                     [](const TopologySpreadConstraint& constraint) { return constraint.hard; });
}

std::vector<uint64_t> TermIdsOf(const Pod& pod) {
  std::vector<uint64_t> ids;
  for (const PodAffinityTerm& term : pod.affinity.required_pod_anti) {
    ids.push_back(absl::HashOf(KeyOf(MatcherOf(term, pod.namespace_), term.topology_key)));
  }
  // Those of one pod are looked at together.
  std::string near;
  for (const PodAffinityTerm& term : pod.affinity.required_pod) {
    near += KeyOf(MatcherOf(term, pod.namespace_), term.topology_key);
  }
  for (size_t i = 0; i < pod.affinity.required_pod.size(); ++i) {
    ids.push_back(absl::HashOf(near, i));
  }
  for (const std::string& key : SpreadKeysOf(pod)) ids.push_back(absl::HashOf(key));
  return ids;
}

}  // namespace outrigger::plan
