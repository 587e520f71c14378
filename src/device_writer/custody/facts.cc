#include "device_writer/custody/facts.h"

#include <algorithm>

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
    if (pod.finished || pod.node.empty()) continue;
    for (const devices::PodClaim& claim : pod.claims) {
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

EntryIs Facts::StateOf(const PoolEntry& entry) const {
  if (entry.confirmed) return EntryIs::kConfirmed;
  return IsDue(entry, view_.now) ? EntryIs::kDue : EntryIs::kIntent;
}

ClaimIs Facts::ClaimOf(const PoolObject& pool, const PoolEntry& entry) const {
  const ClaimObject* const claim = FindClaim(entry.claim_uid);
  if (claim == nullptr) return ClaimIs::kGone;
  if (!IsAllocated(*claim)) return ClaimIs::kPending;
  const auto held = Of(pool.pool.name, claim->claim.allocations);
  if (held.empty()) return ClaimIs::kElsewhere;
  if (SameHolding(held, entry.holding)) return ClaimIs::kSame;
  // What is of admin access has no entry.
  const auto has = [&held](const Allocation& one) {
    return std::find(held.begin(), held.end(), one) != held.end();
  };
  const bool is_part = std::all_of(entry.holding.begin(), entry.holding.end(), has);
  return is_part && HasAdminAccess(*claim) ? ClaimIs::kSame : ClaimIs::kDifferent;
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
  if (claim == nullptr && PodsOfGone(entry) == PodsAre::kBound) return PodsAre::kBound;
  return IsAlive(entry.pod_uid) ? PodsAre::kWaiting : PodsAre::kEnded;
}

// Pods that shared the claim are known by name alone, unless they are those of its successor.
PodsAre Facts::PodsOfGone(const PoolEntry& entry) const {
  const ClaimKey key(false, entry.claim_namespace, entry.claim_name);
  const ClaimObject* const successor = FindClaim(false, entry.claim_namespace, entry.claim_name);
  const auto [first, last] = users_.equal_range(key);
  for (auto user = first; user != last; ++user) {
    if (successor == nullptr || !HasPod(*successor, user->second->uid)) return PodsAre::kBound;
  }
  return PodsAre::kEnded;
}

bool Facts::HasAdminAccess(const ClaimObject& claim) const {
  if (claim.privileged) return true;
  for (const devices::Request& request : claim.claim.requests) {
    for (const devices::Detail& detail : request.details) {
      if (view_.admin_classes.contains(detail.device_class)) return true;
    }
  }
  return false;
}

}  // namespace outrigger::device_writer
