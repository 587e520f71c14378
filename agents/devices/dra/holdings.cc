#include "devices/dra/holdings.h"

#include "fmt/format.h"

namespace outrigger::dra {
namespace {

std::string KeyOf(std::string_view driver, std::string_view pool, std::string_view device) {
  return fmt::format("{}\n{}\n{}", driver, pool, device);
}

}  // namespace

void Holdings::Add(const Claim& claim) {
  if (!claim.allocated) return;
  for (const Result& result : claim.results) {
    if (result.admin_access) continue;
    Use& use = uses_[KeyOf(result.driver, result.pool, result.device)];
    if (result.share) {
      use.shares.push_back({&claim, &result.consumed});
    } else {
      use.whole.push_back(&claim);
    }
  }
}

const Use* Holdings::Of(std::string_view driver, std::string_view pool,
                        std::string_view device) const {
  const auto found = uses_.find(KeyOf(driver, pool, device));
  return found == uses_.end() ? nullptr : &found->second;
}

InUse Counted(const Use* use, const std::set<std::string>& without) {
  InUse counted;
  if (use == nullptr) return counted;
  const auto counts = [&without](const Claim* claim) {
    return without.empty() || !without.contains(NameOf(*claim));
  };
  for (const Claim* claim : use->whole) counted.whole = counted.whole || counts(claim);
  for (const Use::Share& share : use->shares) {
    if (!counts(share.claim)) continue;
    counted.shared = true;
    AddAmounts(*share.consumed, &counted.consumed);
  }
  return counted;
}

void AddAmounts(const Quantities& more, Quantities* sum) {
  for (const auto& [name, amount] : more) (*sum)[name] += amount;
}

void TakeAmounts(const Quantities& less, Quantities* sum) {
  for (const auto& [name, amount] : less) (*sum)[name] -= amount;
}

}  // namespace outrigger::dra
