#include "calls/judge.h"

#include <algorithm>
#include <string>
#include <utility>

namespace outrigger::devices::agent {
namespace {

// One node has the reason: so the message stays small at any number of nodes.
void RejectAll(const Verdict& verdict, std::span<Verdict> verdicts) {
  for (size_t i = 0; i < verdicts.size(); ++i) {
    verdicts[i] = i == 0 ? verdict : Verdict::LeftOut();
  }
}

std::string WhyOf(const outrigger::Request& request, const Scores& scores) {
  return request.Why("packing {:.3g}, intact {:.3g}, choice {:.3g}", scores.packing, scores.intact,
                     scores.choice);
}

// Open claims that hold something all the same: an allocation that was begun.
std::vector<std::string> Begun(const Contents& contents, const PodDemand& demand) {
  std::vector<std::string> names = demand.OpenHolders();
  std::erase_if(names, [&](const std::string& name) { return contents.HeldBy(name).empty(); });
  return names;
}

}  // namespace

absl::Status Judge::Usable(Verdict* verdict) const {
  absl::Status usable = store_.Usable();
  if (!absl::IsNotFound(usable)) return usable;
  *verdict = Verdict::Unresolvable("not served", "{} (apply deploy/devices)",
                                   std::string(usable.message()));
  return absl::OkStatus();
}

Verdict Judge::Ask(const Contents& contents, const PodDemand& demand, Call judge) const {
  const Inventory& inventory = contents.inventory();
  const Demand resolved = allocator_.Resolve(inventory, demand.Open());
  if (!resolved.invalid().empty()) {
    return allocator_.Allocate(inventory, resolved, "", Parts::kVerdict).verdict;
  }
  judge(inventory, demand, resolved);
  return Verdict::Fits();
}

Verdict Judge::With(const PodName& pod, const std::vector<PodClaim>& claims, Call judge) const {
  Verdict verdict;
  bool has_begun = false;
  store_.Look([&](const Contents& contents) {
    const PodDemand demand = DemandOf(contents, pod, claims);
    verdict = demand.verdict;
    has_begun = verdict.fits() && !Begun(contents, demand).empty();
    if (verdict.fits() && !has_begun) verdict = Ask(contents, demand, judge);
  });
  if (!has_begun) return verdict;
  store_.LookAlone([&](Contents* contents) {
    const PodDemand demand = DemandOf(*contents, pod, claims);
    verdict = demand.verdict;
    if (!verdict.fits()) return;
    const Contents::Without aside(contents, Begun(*contents, demand));
    verdict = Ask(*contents, demand, judge);
  });
  return verdict;
}

absl::StatusOr<Judge::Left> Judge::Filter(const outrigger::Request& request,
                                          std::span<Verdict> verdicts) const {
  if (request.pod.annotations.Get(kClaimsAnnotation).empty()) return Left::kSome;
  const Pod& pod = request.pod;
  Wanted wanted = WantedBy(pod);
  Verdict all = wanted.verdict;
  if (all.fits() && wanted.claims.empty()) return Left::kSome;
  if (all.fits()) {
    absl::Status usable = Usable(&all);
    if (!usable.ok()) return usable;
  }
  if (all.fits()) {
    all = With({pod.namespace_, pod.name, pod.uid}, wanted.claims,
               [&](const Inventory& inventory, const PodDemand& demand, const Demand& resolved) {
                 for (size_t i = 0; i < verdicts.size(); ++i) {
                   const std::string& node = request.nodes[i].name;
                   verdicts[i] = demand.VerdictOf(node);
                   if (!verdicts[i].fits()) continue;
                   verdicts[i] =
                       allocator_.Allocate(inventory, resolved, node, Parts::kVerdict).verdict;
                 }
               });
  }
  if (!all.fits()) {
    RejectAll(all, verdicts);
    return Left::kUnresolved;
  }
  const bool some = std::any_of(verdicts.begin(), verdicts.end(),
                                [](const Verdict& verdict) { return verdict.fits(); });
  return some ? Left::kSome : Left::kNone;
}

absl::Status Judge::Score(const outrigger::Request& request, std::span<NodeScore> scores) const {
  if (request.pod.annotations.Get(kClaimsAnnotation).empty()) return absl::OkStatus();
  const Pod& pod = request.pod;
  const Wanted wanted = WantedBy(pod);
  Verdict all = wanted.verdict;
  if (!all.fits() || wanted.claims.empty()) return absl::OkStatus();
  absl::Status usable = Usable(&all);
  if (!usable.ok() || !all.fits()) return usable;
  With({pod.namespace_, pod.name, pod.uid}, wanted.claims,
       [&](const Inventory& inventory, const PodDemand& demand, const Demand& resolved) {
         for (size_t i = 0; i < scores.size(); ++i) {
           const std::string& node = request.nodes[i].name;
           if (!demand.VerdictOf(node).fits()) continue;
           const Answer answer = allocator_.Allocate(inventory, resolved, node, Parts::kScores);
           if (!answer.verdict.fits()) continue;
           scores[i].value = answer.scores.total;
           scores[i].why = WhyOf(request, answer.scores);
         }
       });
  return absl::OkStatus();
}

}  // namespace outrigger::devices::agent
