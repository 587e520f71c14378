#include "calls/store_chooser.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
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

// What is not chosen is not read.
absl::Status StoreChooser::AddConfigs(std::span<const ClaimObject> claims,
                                      const std::vector<ConfigNames>& names, Choice* choice) const {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    auto copies = configs_->Read(names[i]);
    if (!copies.ok()) {
      return absl::Status(copies.status().code(),
                          fmt::format("claim {}: {}", NameOf(claims[i].claim),
                                      std::string(copies.status().message())));
    }
    choice->grants[i].claim_configs = std::move(copies->of_claim);
    choice->grants[i].class_configs = std::move(copies->of_classes);
  }
  return absl::OkStatus();
}

absl::StatusOr<Choice> StoreChooser::ChooseFrom(const Contents& contents, std::string_view node,
                                                std::span<const ClaimObject> claims,
                                                std::vector<ConfigNames>* configs,
                                                std::optional<Pending>* pending) const {
  std::vector<const Claim*> asked;
  for (const ClaimObject& claim : claims) {
    const std::string fault = contents.AdminAccessFault(claim);  // it may have been changed
    if (!fault.empty()) {
      return absl::FailedPreconditionError(fmt::format("claim {}: {}", NameOf(claim.claim), fault));
    }
    asked.push_back(&claim.claim);
  }
  const Inventory& inventory = contents.inventory();
  auto resolved = allocator_.TryResolve(inventory, asked);
  if (auto* unknown = std::get_if<Pending>(&resolved)) {
    *pending = std::move(*unknown);
    return absl::UnavailableError("expressions are to be evaluated");
  }
  Answer answer = allocator_.Allocate(inventory, std::get<Demand>(resolved), node, Parts::kAll);
  if (!answer.verdict.fits()) return absl::FailedPreconditionError(answer.verdict.reason());
  Choice choice;
  std::set<std::string> pools;
  for (size_t i = 0; i < claims.size(); ++i) {
    ClaimAllocation& claim = answer.claims[i];
    for (const Allocation& held : claim.holding) pools.insert(held.pool);
    Grant& grant = choice.grants.emplace_back();
    grant.allocations = std::move(claim.allocations);
    grant.holding = std::move(claim.holding);
    configs->push_back(ConfigNamesOf(contents, claims[i], claim.alternatives));
  }
  for (const std::string& name : pools) choice.pools.push_back(*contents.FindPool(name));
  return choice;
}

absl::StatusOr<Choice> StoreChooser::TryChoose(const PodOnNode& pod,
                                               std::span<const ClaimObject> claims,
                                               std::vector<ConfigNames>* configs,
                                               std::optional<Pending>* pending) {
  absl::StatusOr<Choice> choice = Choice();
  store_.Change([&](Contents* contents) {
    {
      const Contents::Without aside(contents, Holders(*contents, claims));
      choice = ChooseFrom(*contents, pod.node, claims, configs, pending);
    }
    // Calls at the same time choose others, and filter calls see it before anything is written.
    for (size_t i = 0; choice.ok() && i < claims.size(); ++i) {
      if (!claims[i].privileged) (void)contents->Assume(claims[i].claim, choice->grants[i].holding);
    }
    return false;
  });
  return choice;
}

absl::StatusOr<Choice> StoreChooser::Choose(const PodOnNode& pod,
                                            std::span<const ClaimObject> claims) {
  std::vector<ConfigNames> configs;
  std::optional<Pending> pending;
  auto choice = TryChoose(pod, claims, &configs, &pending);
  for (int i = 0; pending.has_value() && i < kMostEvaluations; ++i) {
    absl::Status found = allocator_.FindOut(*std::exchange(pending, std::nullopt), {});
    if (!found.ok()) return found;
    choice = TryChoose(pod, claims, &configs, &pending);
  }
  if (!choice.ok()) return choice;
  absl::Status configured = AddConfigs(claims, configs, &*choice);
  if (!configured.ok()) return configured;
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

void StoreChooser::LosePool(std::string_view name, std::string_view uid) {
  store_.Change([&](Contents* contents) {
    return contents->RemovePool(name, {.from = Source::kWrite, .uid = uid});
  });
}

void StoreChooser::SeeClaim(const ClaimObject& claim) {
  store_.Change([&](Contents* contents) { return contents->Put(claim, Source::kWrite); });
}

void StoreChooser::LoseClaim(const CustomObjectName& claim, bool privileged) {
  store_.Change([&](Contents* contents) {
    return contents->RemoveClaim(claim.namespace_, claim.name, privileged,
                                 {.from = Source::kWrite, .uid = claim.uid});
  });
}

}  // namespace outrigger::devices::agent
