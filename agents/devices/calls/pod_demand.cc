#include "calls/pod_demand.h"

#include <set>
#include <utility>

#include "fmt/format.h"
#include "gang/plan/group.h"

namespace outrigger::devices::agent {
namespace {

std::string_view KindOf(const PodClaim& claim) {
  return claim.privileged ? kPrivilegedClaimKind.kind : kClaimKind.kind;
}

// A status that was edited by hand may lack the node.
std::string NodeOf(const Contents& contents, const ClaimObject& claim) {
  if (!claim.node.empty()) return claim.node;
  std::set<std::string> nodes;
  for (const Allocation& one : claim.claim.allocations) {
    const Pool* pool = contents.inventory().FindPool(one.pool);
    if (pool != nullptr && !pool->node.empty()) nodes.insert(pool->node);
  }
  return nodes.size() == 1 ? *nodes.begin() : std::string();
}

// An embedded claim that has not been created.
Verdict Imagine(const Wanted& pod, const PodClaim& claim, DemandedClaim* demanded) {
  auto object = ParseClaim(EmbeddedClaim(pod.namespace_, pod.name, pod.uid, claim));
  if (!object.ok()) {
    return Verdict::Unresolvable("invalid claim", "claim {}/{}: {}", pod.namespace_,
                                 claim.claim_name, std::string(object.status().message()));
  }
  demanded->exists = false;
  demanded->object = std::make_shared<const ClaimObject>(*std::move(object));
  return Verdict::Fits();
}

Verdict Allocated(const Contents& contents, const std::string& name, DemandedClaim* demanded) {
  demanded->node = NodeOf(contents, *demanded->object);
  if (demanded->node.empty() || demanded->object->claim.allocations.empty()) {
    return Verdict::Unresolvable("claim status",
                                 "claim {} is Allocated by its status, which lacks {}", name,
                                 demanded->node.empty() ? "the node" : "devices");
  }
  return Verdict::Fits();
}

Verdict FindObject(const Contents& contents, const Wanted& pod, const PodClaim& claim,
                   DemandedClaim* demanded) {
  const bool embedded = !claim.embedded_spec.empty();
  demanded->object = contents.FindClaim(pod.namespace_, claim.claim_name, claim.privileged);
  const std::string name = fmt::format("{}/{}", pod.namespace_, claim.claim_name);
  if (demanded->object == nullptr) {
    if (embedded) return Imagine(pod, claim, demanded);
    return Verdict::Unresolvable("claim missing", "claim {}: there is no {} with that name", name,
                                 KindOf(claim));
  }
  const ClaimObject& object = *demanded->object;
  if (object.version.deleting) {
    return Verdict::Unresolvable("claim deleted", "claim {} is being deleted", name);
  }
  if (embedded) {
    const std::string conflict = EmbeddedClaimConflict(object, claim, pod.uid);
    if (!conflict.empty()) return Verdict::Unresolvable("claim of another", "{}", conflict);
  } else if (!object.owner_pod_uid.empty() && object.owner_pod_uid != pod.uid) {
    return Verdict::Unresolvable("claim of another",
                                 "claim {} belongs to another pod: use another claim", name);
  }
  return object.state == ClaimState::kAllocated ? Allocated(contents, name, demanded)
                                                : Verdict::Fits();
}

Verdict Find(const Contents& contents, const Wanted& pod, const PodClaim& claim,
             DemandedClaim* demanded) {
  Verdict found = FindObject(contents, pod, claim, demanded);
  if (!found.fits()) return found;
  const std::string fault = contents.AdminAccessFault(*demanded->object);
  if (fault.empty()) return found;
  return Verdict::Unresolvable("admin access", "claim {}/{}: {}", pod.namespace_, claim.claim_name,
                               fault);
}

}  // namespace

Wanted WantedBy(const Pod& pod) {
  Wanted wanted;
  const std::string_view text = pod.annotations.Get(kClaimsAnnotation);
  if (text.empty()) return wanted;
  wanted.namespace_ = pod.namespace_;
  wanted.name = pod.name;
  wanted.uid = pod.uid;
  auto claims = ParsePodClaims(text, pod.name);
  if (!claims.ok()) {
    wanted.verdict =
        Verdict::Unresolvable("claims annotation", "annotation {}: {}", kClaimsAnnotation,
                              std::string(claims.status().message()));
    return wanted;
  }
  wanted.claims = *std::move(claims);
  if (!wanted.claims.empty() && plan::MembershipOf(pod, nullptr).has_value()) {
    wanted.verdict = Verdict::Unresolvable("gang", "{}", kGangsUnplanned);
  }
  return wanted;
}

std::vector<const Claim*> PodDemand::Open() const {
  std::vector<const Claim*> open;
  for (const DemandedClaim& one : claims) {
    if (one.node.empty()) open.push_back(&one.object->claim);
  }
  return open;
}

std::vector<std::string> PodDemand::OpenHolders() const {
  std::vector<std::string> names;
  for (const DemandedClaim& one : claims) {
    // Of both kinds there may be one of a name.
    if (one.node.empty() && !one.object->privileged) names.push_back(NameOf(one.object->claim));
  }
  return names;
}

Verdict PodDemand::VerdictOf(std::string_view node) const {
  for (const DemandedClaim& one : claims) {
    if (one.node.empty() || one.node == node) continue;
    return Verdict::Unresolvable("claim elsewhere", "claim {} has its devices on node {}",
                                 NameOf(one.object->claim), one.node);
  }
  return Verdict::Fits();
}

PodDemand DemandOf(const Contents& contents, const Wanted& wanted) {
  PodDemand demand;
  for (const PodClaim& claim : wanted.claims) {
    DemandedClaim demanded;
    Verdict found = Find(contents, wanted, claim, &demanded);
    if (!found.fits()) return {.verdict = std::move(found), .claims = {}};
    demand.claims.push_back(std::move(demanded));
  }
  return demand;
}

}  // namespace outrigger::devices::agent
