#include "plan/nodes/bound_pods.h"

namespace outrigger::plan {

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
    now.emplace_back(pod, pairs_->AddKind(pod->Unpack()));
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
