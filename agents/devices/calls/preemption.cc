#include "calls/preemption.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace outrigger::devices::agent {
namespace {

bool IsVictim(const NodeVictims& candidate, const std::string& uid) {
  const std::vector<std::string>& victims = candidate.pod_uids;
  return std::find(victims.begin(), victims.end(), uid) != victims.end();
}

// Claims that nothing but victims of this node uses.
std::vector<std::string> FreedBy(const Excerpt& excerpt, const NodeVictims& candidate) {
  std::vector<std::string> freed;
  for (const auto& claim : excerpt.ClaimsOn(candidate.node)) {
    const bool is_freed =
        std::all_of(claim->pods.begin(), claim->pods.end(),
                    [&](const PodReference& pod) { return IsVictim(candidate, pod.uid); });
    if (is_freed) freed.push_back(NameOf(claim->claim));
  }
  return freed;
}

Excerpt::Names NodesOf(const PreemptRequest& request, const PodDemand& demand) {
  Excerpt::Names nodes;
  for (const NodeVictims& candidate : request.candidates) {
    if (demand.VerdictOf(candidate.node).fits()) nodes.insert(candidate.node);
  }
  return nodes;
}

}  // namespace

void Preemption::Choose(const Excerpt& excerpt, const PodDemand& demand,
                        const PreemptRequest& request, std::vector<NodeVictims>* chosen) const {
  const std::vector<std::string> begun = demand.OpenHolders();
  Inventory inventory = excerpt.WithoutHoldings(begun);
  const Demand resolved = allocator_.Resolve(inventory, demand.Open());
  for (const NodeVictims& candidate : request.candidates) {
    if (!demand.VerdictOf(candidate.node).fits()) continue;
    const std::vector<std::string> freed = FreedBy(excerpt, candidate);
    for (const std::string& claim : freed) inventory.SetHolding(claim, {});
    const Answer answer = allocator_.Allocate(inventory, resolved, candidate.node, Parts::kVerdict);
    if (answer.verdict.fits()) chosen->push_back(candidate);
    for (const std::string& claim : freed) {
      const bool is_begun = std::find(begun.begin(), begun.end(), claim) != begun.end();
      if (!is_begun) inventory.SetHolding(claim, excerpt.HeldBy(claim));
    }
  }
}

absl::Status Preemption::Preempt(const PreemptRequest& request,
                                 std::vector<NodeVictims>* chosen) const {
  const Pod& pod = request.pod;
  const Wanted wanted = WantedBy(pod);
  if (wanted.verdict.fits() && wanted.claims.empty()) {
    chosen->assign(request.candidates.begin(), request.candidates.end());
    return absl::OkStatus();
  }
  Verdict verdict = wanted.verdict;
  if (verdict.fits()) {
    absl::Status usable = judge_.Usable(&verdict);
    if (!usable.ok()) return usable;
  }
  if (!verdict.fits()) return absl::OkStatus();  // no eviction helps
  PodDemand demand;
  std::optional<Excerpt> excerpt;
  store_.Look([&](const Contents& contents) {
    demand = DemandOf(contents, {pod.namespace_, pod.name, pod.uid}, wanted.claims);
    if (!demand.verdict.fits()) return;
    excerpt.emplace(contents, NodesOf(request, demand), allocator_.options().network_pools);
  });
  // The search, for many candidates, is done without the store's lock.
  if (excerpt.has_value()) Choose(*excerpt, demand, request, chosen);
  return absl::OkStatus();
}

}  // namespace outrigger::devices::agent
