#include "calls/store_chooser.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"

namespace outrigger::devices::agent {
namespace {

std::vector<std::string> Holders(const Contents& contents, std::span<const ClaimObject> claims) {
  std::vector<std::string> names;
  for (const ClaimObject& claim : claims) {
    std::string name = NameOf(claim.claim);
    if (!claim.privileged && !contents.HeldBy(name).empty()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

absl::Status StoreChooser::AddConfigs(const ClaimObject& claim,
                                      const std::vector<int>& alternatives, Grant* grant) const {
  const auto at = configs_.find(claim.version.uid);
  if (at == configs_.end()) return absl::OkStatus();
  grant->claim_configs = at->second.of_claim;
  std::set<std::string> classes;
  for (size_t i = 0; i < alternatives.size(); ++i) {
    const Detail& chosen = claim.claim.requests[i].details[static_cast<size_t>(alternatives[i])];
    const auto of_class = at->second.of_classes.find(chosen.device_class);
    if (of_class == at->second.of_classes.end()) continue;
    if (!classes.insert(chosen.device_class).second) continue;
    if (!of_class->second.ok()) {
      return absl::Status(of_class->second.status().code(),
                          fmt::format("claim {}: {}", NameOf(claim.claim),
                                      std::string(of_class->second.status().message())));
    }
    grant->class_configs.insert(grant->class_configs.end(), of_class->second->begin(),
                                of_class->second->end());
  }
  return absl::OkStatus();
}

absl::StatusOr<Choice> StoreChooser::ChooseFrom(const Contents& contents, std::string_view node,
                                                std::span<const ClaimObject> claims) const {
  std::vector<const Claim*> asked;
  for (const ClaimObject& claim : claims) asked.push_back(&claim.claim);
  const Inventory& inventory = contents.inventory();
  const Demand demand = allocator_.Resolve(inventory, asked);
  Answer answer = allocator_.Allocate(inventory, demand, node, Parts::kAll);
  if (!answer.verdict.fits()) return absl::FailedPreconditionError(answer.verdict.reason());
  Choice choice;
  std::set<std::string> pools;
  for (size_t i = 0; i < claims.size(); ++i) {
    ClaimAllocation& claim = answer.claims[i];
    for (const Allocation& held : claim.holding) pools.insert(held.pool);
    Grant& grant = choice.grants.emplace_back();
    grant.allocations = std::move(claim.allocations);
    grant.holding = std::move(claim.holding);
    absl::Status configured = AddConfigs(claims[i], claim.alternatives, &grant);
    if (!configured.ok()) return configured;
  }
  for (const std::string& name : pools) choice.pools.push_back(*contents.FindPool(name));
  return choice;
}

absl::StatusOr<Choice> StoreChooser::Choose(const PodOnNode& pod,
                                            std::span<const ClaimObject> claims) {
  absl::StatusOr<Choice> choice = Choice();
  store_.Change([&](Contents* contents) {
    {
      const Contents::Without aside(contents, Holders(*contents, claims));
      choice = ChooseFrom(*contents, pod.node, claims);
    }
    // Calls at the same time choose others, and filter calls see it before anything is written.
    for (size_t i = 0; choice.ok() && i < claims.size(); ++i) {
      if (!claims[i].privileged) (void)contents->Assume(claims[i].claim, choice->grants[i].holding);
    }
    return false;
  });
  return choice;
}

void StoreChooser::Settle(std::span<const ClaimObject> claims) {
  store_.Change([&](Contents* contents) {
    bool has_changed = false;
    for (const ClaimObject& claim : claims) {
      if (!claim.privileged) has_changed = contents->Assume(claim.claim, {}) || has_changed;
    }
    return has_changed;
  });
}

std::optional<PoolObject> StoreChooser::FindPool(std::string_view name) {
  std::shared_ptr<const PoolObject> found;
  store_.Look([&](const Contents& contents) { found = contents.FindPool(name); });
  return found == nullptr ? std::nullopt : std::optional<PoolObject>(*found);
}

void StoreChooser::SeePool(const PoolObject& pool) {
  store_.Change([&](Contents* contents) { return contents->Put(pool, Source::kWrite); });
}

void StoreChooser::LosePool(std::string_view name) {
  store_.Change([&](Contents* contents) { return contents->RemovePool(name, ""); });
}

void StoreChooser::SeeClaim(const ClaimObject& claim) {
  store_.Change([&](Contents* contents) { return contents->Put(claim, Source::kWrite); });
}

}  // namespace outrigger::devices::agent
