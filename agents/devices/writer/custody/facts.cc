#include "devices/writer/custody/facts.h"

namespace outrigger::device_writer {

using devices::PodFact;

Facts::Facts(const devices::CustodyView& view) : view_(view) {
  for (const ClaimObject& claim : view.claims) {
    claims_[claim.version.uid] = &claim;
    by_name_[{claim.privileged, claim.claim.namespace_, claim.claim.name}] = &claim;
  }
  for (const PoolObject& pool : view.pools) pools_[pool.pool.name] = &pool;
  for (const PodFact& pod : view.pods) {
    pods_[pod.uid] = &pod;
    if (pod.finished) continue;
    for (const devices::PodClaim& claim : pod.claims) {
      if (!claim.embedded_spec.empty()) continue;
      users_.emplace(ClaimKey(claim.privileged, pod.namespace_, claim.claim_name), &pod);
    }
  }
}

const ClaimObject* Facts::FindClaim(std::string_view uid) const {
  const auto found = claims_.find(uid);
  return found == claims_.end() ? nullptr : found->second;
}

const ClaimObject* Facts::FindClaim(bool privileged, std::string_view namespace_,
                                    std::string_view name) const {
  const auto found = by_name_.find(ClaimKey(privileged, namespace_, name));
  return found == by_name_.end() ? nullptr : found->second;
}

const PoolObject* Facts::FindPool(std::string_view name) const {
  const auto found = pools_.find(name);
  return found == pools_.end() ? nullptr : found->second;
}

bool Facts::IsAlive(std::string_view pod_uid) const {
  const auto found = pods_.find(pod_uid);
  return found != pods_.end() && !found->second->finished;
}

bool Facts::IsBound(std::string_view pod_uid) const {
  return IsAlive(pod_uid) && !pods_.find(pod_uid)->second->node.empty();
}

EntryIs Facts::StateOf(const PoolObject& pool, const PoolEntry& entry) const {
  if (entry.confirmed) return EntryIs::kConfirmed;
  return view_.intents.IsOver(pool, entry) ? EntryIs::kDue : EntryIs::kIntent;
}

ClaimIs Facts::ClaimOf(const PoolObject& pool, const PoolEntry& entry) const {
  const ClaimObject* const claim = FindClaim(entry.claim_uid);
  if (claim == nullptr) return ClaimIs::kGone;
  if (!IsAllocated(*claim)) return ClaimIs::kPending;
  const auto held = Of(pool.pool.name, HoldingOf(*claim));
  if (held.empty()) return ClaimIs::kElsewhere;
  return SameHolding(held, entry.holding) ? ClaimIs::kSame : ClaimIs::kDifferent;
}

PodsAre Facts::PodsOf(const ClaimObject& claim) const {
  PodsAre pods = PodsAre::kEnded;
  for (const devices::PodReference& pod : claim.pods) {
    if (!IsUser(claim, pod.uid)) continue;
    if (IsBound(pod.uid)) return PodsAre::kBound;
    pods = PodsAre::kWaiting;
  }
  return pods;
}

bool Facts::IsUser(const ClaimObject& claim, std::string_view pod_uid) const {
  if (!IsAlive(pod_uid)) return false;
  const std::string& node = pods_.find(pod_uid)->second->node;
  return node.empty() || claim.node.empty() || node == claim.node;
}

PodsAre Facts::PodsOf(const PoolEntry& entry) const {
  const ClaimObject* const claim = FindClaim(entry.claim_uid);
  if (claim != nullptr && IsAllocated(*claim)) return PodsOf(*claim);
  if (IsBound(entry.pod_uid)) return PodsAre::kBound;
  const PodsAre others = claim == nullptr ? PodsOfGone(entry) : PodsAre::kEnded;
  return others == PodsAre::kEnded && IsAlive(entry.pod_uid) ? PodsAre::kWaiting : others;
}

// Pods that shared the claim are known by name alone, unless they are those of its successor.
PodsAre Facts::PodsOfGone(const PoolEntry& entry) const {
  const ClaimKey key(false, entry.claim_namespace, entry.claim_name);
  const ClaimObject* const successor = FindClaim(false, entry.claim_namespace, entry.claim_name);
  PodsAre pods = PodsAre::kEnded;
  const auto [first, last] = users_.equal_range(key);
  for (auto user = first; user != last; ++user) {
    if (successor != nullptr && HasPod(*successor, user->second->uid)) continue;
    if (!user->second->node.empty()) return PodsAre::kBound;
    pods = PodsAre::kWaiting;
  }
  return pods;
}

}  // namespace outrigger::device_writer
