#include "cluster/assumptions.h"

namespace outrigger::cluster {

Assumptions::Assumption* Assumptions::Find(const PodKey& key) {
  if (by_pod_.empty()) return nullptr;
  const auto found = by_pod_.find(NameOf(key));
  return found == by_pod_.end() ? nullptr : &found->second;
}

void Assumptions::Set(Assumption assumption) {
  Name name = NameOf(assumption.shown->key());
  ends_.emplace_back(assumption.until, name);
  by_pod_.insert_or_assign(std::move(name), std::move(assumption));
}

void Assumptions::Erase(const PodKey& key) {
  if (!by_pod_.empty()) by_pod_.erase(NameOf(key));
}

PodPtr Assumptions::TakeExpired(Time now) {
  while (!ends_.empty() && ends_.front().first <= now) {
    const Name name = std::move(ends_.front().second);
    ends_.pop_front();
    const auto found = by_pod_.find(name);
    if (found == by_pod_.end() || found->second.until > now) continue;
    PodPtr shown = std::move(found->second.shown);
    by_pod_.erase(found);
    return shown;
  }
  return nullptr;
}

}  // namespace outrigger::cluster
