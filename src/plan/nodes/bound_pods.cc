#include "plan/nodes/bound_pods.h"

#include <set>
#include <string>

#include "plan/groups/limits.h"

namespace outrigger::plan {
namespace {

// As if the pod kept all others away, by each label that it names and nodes have. That is more than
// it asks, in as few terms as there are such labels.
void KeepAllAway(PodPairs* pairs, Pod* pod) {
  std::vector<PodAffinityTerm>& terms = pod->affinity.required_pod_anti;
  std::set<std::string> labels;
  for (const PodAffinityTerm& term : terms) labels.insert(term.topology_key);
  terms.clear();
  for (const std::string& label : labels) {
    if (pairs->IsOnNoNode(label)) continue;
    PodAffinityTerm& term = terms.emplace_back();
    term.topology_key = label;
    term.label_selector.emplace();
    term.namespace_selector.emplace();
  }
}

// What a pod that has its place is to others: what it asked of them for itself is over.
Pod AsNeighbour(Pod pod, PodPairs* pairs) {
  pod.topology_spread.clear();
  pod.affinity.required_pod.clear();
  const size_t terms = pod.affinity.required_pod_anti.size();
  const bool too_many =
      terms > kMostPodAffinityTerms ||
      (pairs->apart_terms() + terms > kMostBoundTerms && !pairs->KnowsApartTermsOf(pod));
  if (too_many) KeepAllAway(pairs, &pod);
  return pod;
}

}  // namespace

void BoundPods::Set(size_t slot, const cluster::NodeState* state) {
  if (slot >= counted_.size()) counted_.resize(slot + 1);
  std::vector<Entry> before = std::exchange(counted_[slot], {});
  std::vector<Entry>& now = counted_[slot];
  auto old = before.begin();
  const auto drop_until = [&](const cluster::PodKey* key) {
    while (old != before.end() && (key == nullptr || old->first->key() < *key)) {
      pairs_->Remove(old->second, slot);
      ++old;
    }
  };
  static const std::vector<cluster::PodPtr> none;
  for (const cluster::PodPtr& pod : state == nullptr ? none : state->pods) {
    if (!Counts(*pod)) continue;
    const cluster::PodKey key = pod->key();
    drop_until(&key);
    if (old != before.end() && old->first == pod) {
      now.push_back(std::move(*old));
      ++old;
      continue;
    }
    now.emplace_back(pod, pairs_->AddKind(AsNeighbour(pod->Unpack(), pairs_)));
    pairs_->Add(now.back().second, slot);
    any_ = true;
  }
  drop_until(nullptr);
}

void BoundPods::CountAll(const std::vector<const cluster::NodeState*>& states) {
  all_ = true;
  for (size_t slot = 0; slot < states.size(); ++slot) Set(slot, states[slot]);
}

bool BoundPods::Counts(const cluster::PodRecord& pod) const {
  return all_ || pod.has_required_anti_affinity() || pod.has_host_ports();
}

}  // namespace outrigger::plan
