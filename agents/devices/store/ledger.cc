#include "store/ledger.h"

#include <algorithm>
#include <optional>

#include "fmt/format.h"

namespace outrigger::devices::agent {
namespace {

// Each claim that holds something else counts through the pool again; for more than these it is put
// in again once.
constexpr size_t kFewChanges = 4;

struct Amount {
  bool is_whole = false;
  Amounts of;
  int64_t count = 0;
};

using ByDevice = std::map<std::pair<std::string, std::string>, Amount>;

// What one source says, summed: a claim may have two parts of one device.
ByDevice SumOf(std::span<const Allocation> allocations) {
  ByDevice sum;
  for (const Allocation& one : allocations) {
    if (one.count <= 0) continue;  // edited by hand
    Amount& amount = sum[{one.pool, one.device}];
    amount.count += one.device.empty() ? one.count : 0;
    amount.is_whole = amount.is_whole || one.amounts.empty();
    for (const auto& [name, quantity] : one.amounts) amount.of[name] += quantity;
  }
  return sum;
}

void Widen(const Amount& by, Amount* amount) {
  amount->count = std::max(amount->count, by.count);
  amount->is_whole = amount->is_whole || by.is_whole;
  for (const auto& [name, quantity] : by.of) {
    Quantity& known = amount->of[name];
    known = std::max(known, quantity);
  }
}

}  // namespace

std::vector<Allocation> UnionOf(std::span<const Allocation> a, std::span<const Allocation> b) {
  ByDevice all = SumOf(a);
  for (const auto& [device, amount] : SumOf(b)) Widen(amount, &all[device]);
  std::vector<Allocation> result;
  for (auto& [device, amount] : all) {
    Allocation one;
    one.pool = device.first;
    one.device = device.second;
    if (one.device.empty()) one.count = amount.count;
    if (!amount.is_whole) one.amounts = std::move(amount.of);
    result.push_back(std::move(one));
  }
  return result;
}

std::string Ledger::LabelOf(const Id& id) const {
  const auto at = current_.find(id.first);
  if (at != current_.end() && at->second == id.second) return id.first;
  return fmt::format("{} (gone, UID {})", id.first, id.second);
}

std::vector<Allocation> Ledger::HeldBy(std::string_view name) const {
  const auto at = current_.find(name);
  return at == current_.end() ? std::vector<Allocation>() : HeldBy(at->first, at->second);
}

std::vector<Allocation> Ledger::HeldBy(std::string_view name, std::string_view uid) const {
  const auto holder = holders_.find(Id(name, uid));
  return holder == holders_.end() ? std::vector<Allocation>() : holder->second.written;
}

void Ledger::Update(const Id& id) {
  const auto at = holders_.find(id);
  if (at == holders_.end()) return;
  Holder& holder = at->second;
  std::vector<Allocation> held = UnionOf(holder.of_status, holder.assumed);
  for (const auto& [pool, of_pool] : holder.of_pools) held = UnionOf(held, of_pool);
  std::string label = held.empty() ? std::string() : LabelOf(id);
  if (label != holder.label && !holder.label.empty()) inventory_.SetHolding(holder.label, {});
  if (!label.empty() && (label != holder.label || held != holder.written)) {
    inventory_.SetHolding(label, held);
  }
  if (held.empty()) {
    holders_.erase(at);
    return;
  }
  holder.label = std::move(label);
  holder.written = std::move(held);
}

void Ledger::Assume(std::string_view name, std::string_view uid, std::vector<Allocation> holding) {
  const Id id(name, uid);
  if (holding.empty() && !holders_.contains(id)) return;
  holders_[id].assumed = std::move(holding);
  Update(id);
}

void Ledger::SetClaim(std::string_view name, std::string_view uid,
                      std::vector<Allocation> of_status) {
  const Id id(name, uid);
  if (const auto at = current_.find(name); at == current_.end() || at->second != uid) {
    RemoveClaim(name);
    current_.insert_or_assign(id.first, id.second);
  }
  if (!of_status.empty() || holders_.contains(id)) holders_[id].of_status = std::move(of_status);
  Update(id);
}

void Ledger::RemoveClaim(std::string_view name) {
  const auto at = current_.find(name);
  if (at == current_.end()) return;
  const Id id(at->first, at->second);
  current_.erase(at);
  if (const auto holder = holders_.find(id); holder != holders_.end()) {
    holder->second.of_status.clear();
  }
  Update(id);
}

void Ledger::SetEntries(std::string_view pool, std::span<const PoolEntry> entries) {
  std::map<Id, std::vector<Allocation>> by_claim;
  for (const PoolEntry& entry : entries) {
    const Id id(fmt::format("{}/{}", entry.claim_namespace, entry.claim_name), entry.claim_uid);
    std::vector<Allocation>& held = by_claim[id];
    for (const Allocation& one : entry.holding) {
      held.push_back(one);
      held.back().pool = pool;
    }
  }
  std::vector<Id>& known = entries_[std::string(pool)];
  std::vector<Id> changed;
  for (const Id& id : known) {
    if (by_claim.contains(id)) continue;
    holders_[id].of_pools.erase(std::string(pool));
    changed.push_back(id);
  }
  known.clear();
  for (auto& [id, held] : by_claim) {
    known.push_back(id);
    std::vector<Allocation>& before = holders_[id].of_pools[std::string(pool)];
    if (before == held) continue;
    before = std::move(held);
    changed.push_back(id);
  }
  if (known.empty()) entries_.erase(std::string(pool));
  std::optional<Pool> aside;
  if (const Pool* all = inventory_.FindPool(pool); all != nullptr && changed.size() > kFewChanges) {
    aside = *all;
    inventory_.RemovePool(pool);
  }
  for (const Id& id : changed) Update(id);
  if (aside.has_value()) inventory_.SetPool(*std::move(aside));
}

}  // namespace outrigger::devices::agent
