#include "calls/preemption.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "outrigger/agent/cluster_snapshot.h"

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

int64_t CountOf(const std::vector<Allocation>& held) {
  int64_t count = 0;
  for (const Allocation& one : held) count += one.device.empty() ? one.count : 1;
  return count;
}

/// Tries what fits on nodes once pods are gone.
class Trial {
 public:
  /// All outlive it.
  Trial(const Allocator& allocator, const Excerpt& excerpt, const PodDemand& demand)
      : allocator_(allocator),
        excerpt_(excerpt),
        begun_(demand.OpenHolders()),
        inventory_(excerpt.WithoutHoldings(begun_)),
        open_(demand.Open()) {}

  absl::Status Resolve() {
    auto resolved = allocator_.TryResolve(inventory_, open_);
    while (const auto* pending = std::get_if<Pending>(&resolved)) {
      absl::Status found = allocator_.FindOut(*pending, {});
      if (!found.ok()) return found;
      resolved = allocator_.TryResolve(inventory_, open_);
    }
    resolved_.emplace(std::get<Demand>(std::move(resolved)));
    return absl::OkStatus();
  }

  bool Fits(const NodeVictims& candidate) {
    const std::vector<std::string> freed = FreedBy(excerpt_, candidate);
    for (const std::string& claim : freed) inventory_.SetHolding(claim, {});
    const Answer answer =
        allocator_.Allocate(inventory_, *resolved_, candidate.node, Parts::kVerdict);
    for (const std::string& claim : freed) {
      const bool is_begun = std::find(begun_.begin(), begun_.end(), claim) != begun_.end();
      if (!is_begun) inventory_.SetHolding(claim, excerpt_.HeldBy(claim));
    }
    return answer.verdict.fits();
  }

  /// Spares each victim without which it fits, the first ones first. False: it fits in no way, or
  /// without any.
  bool Spare(NodeVictims* candidate) {
    if (candidate->pod_uids.empty() || !Fits(*candidate)) return false;
    for (size_t i = 0; i < candidate->pod_uids.size();) {
      NodeVictims fewer = *candidate;
      fewer.pod_uids.erase(fewer.pod_uids.begin() + static_cast<std::ptrdiff_t>(i));
      if (Fits(fewer)) {
        *candidate = std::move(fewer);
      } else {
        ++i;
      }
    }
    return !candidate->pod_uids.empty();
  }

 private:
  const Allocator& allocator_;
  const Excerpt& excerpt_;
  const std::vector<std::string> begun_;
  Inventory inventory_;
  const std::vector<const Claim*> open_;
  std::optional<Demand> resolved_;
};

}  // namespace

absl::Status Preemption::AddVictims(const Excerpt& excerpt, const Pod& pod,
                                    NodeVictims* candidate) const {
  const auto view = cluster_->Take();
  if (!view.ok()) return view.status();
  const auto node = view->snapshot->FindNode(candidate->node);
  if (!node.has_value()) return absl::OkStatus();
  std::map<std::string_view, int64_t> held;  // by UID of the pod
  for (const auto& claim : excerpt.ClaimsOn(candidate->node)) {
    const int64_t count = CountOf(excerpt.HeldBy(NameOf(claim->claim)));
    for (const PodReference& user : claim->pods) held[user.uid] += count;
  }
  using Rank = std::tuple<int64_t, int64_t, std::string, std::string, std::string>;
  std::vector<Rank> victims;
  for (const PodView victim : node->Pods()) {
    const auto at = held.find(victim.Uid());
    if (at == held.end() || at->second == 0 || victim.IsAssumed()) continue;
    if (victim.Priority() >= pod.priority) continue;
    victims.emplace_back(-int64_t{victim.Priority()}, at->second, victim.Namespace(), victim.Name(),
                         victim.Uid());
  }
  std::sort(victims.begin(), victims.end());
  for (Rank& victim : victims) candidate->pod_uids.push_back(std::get<4>(std::move(victim)));
  return absl::OkStatus();
}

absl::Status Preemption::Choose(const Excerpt& excerpt, const PodDemand& demand,
                                const PreemptRequest& request,
                                std::vector<NodeVictims>* chosen) const {
  Trial trial(allocator_, excerpt, demand);
  absl::Status status = trial.Resolve();
  if (!status.ok()) return status;
  for (NodeVictims candidate : request.candidates) {
    if (!demand.VerdictOf(candidate.node).fits()) continue;
    bool helps = false;
    if (!candidate.pod_uids.empty()) {
      helps = trial.Fits(candidate);
    } else if (cluster_ != nullptr) {
      status = AddVictims(excerpt, request.pod, &candidate);
      if (!status.ok()) return status;
      helps = trial.Spare(&candidate);
    }
    if (helps) chosen->push_back(std::move(candidate));
  }
  return absl::OkStatus();
}

absl::Status Preemption::Preempt(const PreemptRequest& request,
                                 std::vector<NodeVictims>* chosen) const {
  const Wanted wanted = WantedBy(request.pod);
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
    demand = DemandOf(contents, wanted);
    if (!demand.verdict.fits()) return;
    excerpt.emplace(contents, NodesOf(request, demand), allocator_.options().network_pools);
  });
  // The search, for many candidates, is done without the store's lock.
  return excerpt.has_value() ? Choose(*excerpt, demand, request, chosen) : absl::OkStatus();
}

Excerpt::Excerpt(const Contents& contents, const Names& nodes, bool network_pools) {
  const auto take = [&](std::string_view node) {
    for (const Pool* pool : contents.inventory().PoolsOf(node)) {
      if (auto object = contents.FindPool(pool->name); object != nullptr) {
        pools_.push_back(std::move(object));
      }
    }
  };
  for (const std::string& node : nodes) take(node);
  if (network_pools) take("");
  contents.classes().ForEach([&](const auto&, const auto& of) { classes_.push_back(of); });
  for (const auto& [name, driver] : contents.drivers()) drivers_.push_back(driver);
  contents.claims(/*privileged=*/false).ForEach([&](const auto&, const auto& claim) {
    if (!claim->pods.empty() && nodes.contains(claim->node)) claims_[claim->node].push_back(claim);
  });
  TakeHoldings(contents);
}

void Excerpt::TakeHoldings(const Contents& contents) {
  Names names;
  for (const auto& pool : pools_) names.insert(pool->pool.name);
  contents.ForEachHolding([&](const std::string& claim, std::span<const Allocation> held) {
    const bool is_here = std::any_of(
        held.begin(), held.end(), [&](const Allocation& one) { return names.contains(one.pool); });
    if (is_here) holdings_[claim].assign(held.begin(), held.end());
  });
}

Inventory Excerpt::WithoutHoldings(std::span<const std::string> claims) const {
  Inventory inventory;
  for (const auto& of : classes_) inventory.SetClass(of->of);
  for (const Driver& driver : drivers_) inventory.SetDriver(driver);
  for (const auto& [claim, held] : holdings_) {
    const bool is_out = std::find(claims.begin(), claims.end(), claim) != claims.end();
    if (!is_out) inventory.SetHolding(claim, held);
  }
  for (const auto& pool : pools_) inventory.SetPool(pool->pool);
  return inventory;
}

std::vector<Allocation> Excerpt::HeldBy(std::string_view claim) const {
  const auto at = holdings_.find(claim);
  return at == holdings_.end() ? std::vector<Allocation>() : at->second;
}

const std::vector<std::shared_ptr<const ClaimObject>>& Excerpt::ClaimsOn(
    std::string_view node) const {
  static const std::vector<std::shared_ptr<const ClaimObject>> none;
  const auto at = claims_.find(node);
  return at == claims_.end() ? none : at->second;
}

}  // namespace outrigger::devices::agent
