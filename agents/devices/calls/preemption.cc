#include "calls/preemption.h"

#include <algorithm>
#include <utility>

namespace outrigger::devices::agent {
namespace {

bool IsVictim(const NodeVictims& candidate, const std::string& uid) {
  const std::vector<std::string>& victims = candidate.pod_uids;
  return std::find(victims.begin(), victims.end(), uid) != victims.end();
}

// Claims that nobody but victims of this node uses.
std::vector<std::string> FreedBy(const Contents& contents, const NodeVictims& candidate) {
  std::vector<std::string> freed;
  contents.claims(/*privileged=*/false).ForEach([&](const std::string& name, const auto& claim) {
    if (claim->node != candidate.node || claim->pods.empty()) return;
    const bool is_freed =
        std::all_of(claim->pods.begin(), claim->pods.end(),
                    [&](const PodReference& pod) { return IsVictim(candidate, pod.uid); });
    if (is_freed) freed.push_back(name);
  });
  return freed;
}

}  // namespace

void Preemption::Choose(Contents* contents, const PodDemand& demand, const PreemptRequest& request,
                        std::vector<NodeVictims>* chosen) const {
  const Demand resolved = allocator_.Resolve(contents->inventory(), demand.Open());
  for (const NodeVictims& candidate : request.candidates) {
    if (!demand.VerdictOf(candidate.node).fits()) continue;
    const Contents::Without gone(contents, FreedBy(*contents, candidate));
    const Answer answer =
        allocator_.Allocate(contents->inventory(), resolved, candidate.node, Parts::kVerdict);
    if (answer.verdict.fits()) chosen->push_back(candidate);
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
  store_.LookAlone([&](Contents* contents) {
    const PodDemand demand =
        DemandOf(*contents, {pod.namespace_, pod.name, pod.uid}, wanted.claims);
    if (!demand.verdict.fits()) return;
    const Contents::Without begun(contents, demand.OpenHolders());
    Choose(contents, demand, request, chosen);
  });
  return absl::OkStatus();
}

}  // namespace outrigger::devices::agent
