#include "device_world_testing.h"

#include <algorithm>
#include <set>
#include <utility>

#include "devices/writer/holdings.h"
#include "devices/writer/room.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"

namespace outrigger::devices::testing {
namespace {

using Json = nlohmann::json;

constexpr const char* kApiVersion = "devmgmtproto.k8s.io/v1alpha1";

Json PoolJson(const std::string& name, const std::string& node) {
  return {{"apiVersion", kApiVersion},
          {"kind", "DevicePool"},
          {"metadata", {{"name", name}}},
          {"spec", {{"driver", "d"}, {"nodeName", node}}}};
}

Json ClaimJson(const std::string& name) {
  return {{"apiVersion", kApiVersion},
          {"kind", "DeviceClaim"},
          {"metadata", {{"name", name}, {"namespace", "ns"}}}};
}

template <typename Object>
Object Parsed(const Json& json, absl::StatusOr<Object> (*parse)(std::string_view text)) {
  auto object = parse(json.dump());
  return object.ok() ? *std::move(object) : Object();
}

// One device, or one of many without names.
std::vector<Allocation> OneOf(const PoolObject& pool, const Detail& detail) {
  std::vector<Allocation> options;
  if (pool.pool.count.has_value()) options.push_back({pool.pool.name, "", 1, {}});
  for (const Device& device : pool.pool.devices) {
    if (device.resources.empty() != detail.amounts.empty()) continue;
    options.push_back({pool.pool.name, device.name, 1, detail.amounts});
  }
  return options;
}

// Adds `held` to what the claim has of the pool, if there is room.
bool TryTake(const Allocation& held, const ClaimObject& claim, PoolObject* pool) {
  std::vector<PoolEntry> entries = pool->entries;
  const PoolEntry* const had = device_writer::FindEntry(*pool, claim.version.uid);
  PoolEntry entry = had == nullptr ? PoolEntry() : *had;
  entry.claim_uid = claim.version.uid;
  entry.holding.push_back(held);
  device_writer::PutEntry(entry, &entries);
  const device_writer::Room room(pool->pool, entries);
  const auto at = std::find_if(entries.begin(), entries.end(), [&](const PoolEntry& other) {
    return other.claim_uid == entry.claim_uid;
  });
  if (!room.Check(*at).ok()) return false;
  pool->entries = std::move(entries);
  return true;
}

std::string MissingOf(const std::string& claim_uid) {
  return "missing of " + claim_uid;
}

// What a claim has is in use also where the pool has no entry, or one with other devices.
void PutMissingEntry(const ClaimObject& claim, PoolObject* pool) {
  const PoolEntry* const entry = device_writer::FindEntry(*pool, claim.version.uid);
  PoolEntry missing;
  missing.claim_uid = MissingOf(claim.version.uid);
  for (Allocation held :
       device_writer::Normal(device_writer::Of(pool->pool.name, claim.claim.allocations))) {
    for (const Allocation& there :
         entry == nullptr ? std::vector<Allocation>() : device_writer::Normal(entry->holding)) {
      if (there.device == held.device) held.count -= there.count;
    }
    if (held.count > 0) missing.holding.push_back(std::move(held));
  }
  if (!missing.holding.empty()) pool->entries.push_back(std::move(missing));
}

}  // namespace

int64_t Below(Random& random, int64_t bound) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(bound));
}

bool OneIn(Random& random, int64_t n) {
  return Below(random, n) == 0;
}

WallTime At(int64_t seconds) {
  return std::chrono::system_clock::from_time_t(1'768'464'000 + seconds);
}

Clock::TimePoint Steady(WallTime time) {
  return Clock::TimePoint() + std::chrono::duration_cast<Clock::Duration>(time - At(-1));
}

void World::AddPool(const std::string& name, const std::string& node,
                    const std::vector<std::string>& names) {
  Json pool = PoolJson(name, node);
  for (const std::string& device : names) pool["spec"]["devices"].push_back({{"name", device}});
  api.Put(kPoolKind, pool);
}

void World::AddCountPool(const std::string& name, const std::string& node, int count) {
  Json pool = PoolJson(name, node);
  pool["spec"]["count"] = count;
  api.Put(kPoolKind, pool);
}

void World::AddSharedPool(const std::string& name, const std::string& node) {
  Json pool = PoolJson(name, node);
  pool["spec"]["devices"] = Json::array(
      {{{"name", "s"}, {"resources", Json::array({{{"name", "memory"}, {"capacity", "8Gi"}}})}}});
  api.Put(kPoolKind, pool);
}

void World::AddClaim(const std::string& name, int count) {
  Json claim = ClaimJson(name);
  claim["spec"] = {{"deviceClass", "k"}, {"minDeviceCount", count}};
  api.Put(kClaimKind, claim);
}

void World::AddMemoryClaim(const std::string& name, const std::string& memory) {
  Json claim = ClaimJson(name);
  claim["spec"]["claims"] =
      Json::array({{{"deviceClass", "k"}, {"requests", {{"memory", memory}}}}});
  api.Put(kClaimKind, claim);
}

void World::AddPod(const std::string& name, const std::vector<std::string>& claims) {
  PodFact pod;
  pod.namespace_ = "ns";
  pod.name = name;
  pod.uid = "uid-" + name;
  for (const std::string& claim : claims) pod.claims.push_back({claim, claim, false, ""});
  pods[name] = pod;
}

absl::Status World::Bind(const std::string& name, const std::string& node) {
  const auto pod = pods.find(name);
  if (pod == pods.end() || pod->second.finished) return absl::NotFoundError("no such pod");
  if (!pod->second.node.empty() && pod->second.node != node) {
    return absl::AbortedError("bound to another node");
  }
  pod->second.node = node;
  return absl::OkStatus();
}

void World::Serve(const std::string& pod_uid) {
  served.insert(pod_uid);
  on_served();
}

void World::MakePoolAgain(const std::string& name) {
  Json pool = api.Get(kPoolKind, "", name).value_or(Json());
  api.Delete(kPoolKind, "", name);
  api.Put(kPoolKind, {{"apiVersion", kApiVersion},
                      {"kind", "DevicePool"},
                      {"metadata", {{"name", name}}},
                      {"spec", pool["spec"]}});
}

void World::ShrinkPool(const std::string& name) {
  Json pool = api.Get(kPoolKind, "", name).value_or(Json());
  Json& spec = pool["spec"];
  if (spec.contains("count")) {
    spec["count"] = std::max<int64_t>(spec["count"].get<int64_t>() - 1, 0);
  } else if (spec.contains("devices") && !spec["devices"].empty()) {
    spec["devices"].erase(spec["devices"].size() - 1);
  }
  api.Put(kPoolKind, pool);
}

PoolObject World::Pool(const std::string& name) const {
  return Parsed(api.Get(kPoolKind, "", name).value_or(Json()), ParsePool);
}

ClaimObject World::Claim(const std::string& name) const {
  return Parsed(api.Get(kClaimKind, "ns", name).value_or(Json()), ParseClaim);
}

std::vector<PoolObject> World::Pools() const {
  std::vector<PoolObject> pools;
  for (const Json& pool : api.All(kPoolKind)) pools.push_back(Parsed(pool, ParsePool));
  return pools;
}

std::vector<ClaimObject> World::Claims() const {
  std::vector<ClaimObject> claims;
  for (const Json& claim : api.All(kClaimKind)) claims.push_back(Parsed(claim, ParseClaim));
  return claims;
}

std::vector<PodFact> World::Pods() const {
  std::vector<PodFact> all;
  for (const auto& [name, pod] : pods) all.push_back(pod);
  return all;
}

PodOnNode World::PodOn(const std::string& name, const std::string& node) const {
  return {"ns", name, "uid-" + name, node, false};
}

void StoreChooser::Refresh() {
  pools_.clear();
  claims_.clear();
  for (PoolObject& pool : world_.Pools()) pools_[pool.pool.name] = pool;
  for (ClaimObject& claim : world_.Claims()) claims_[claim.claim.name] = claim;
}

absl::StatusOr<Choice> StoreChooser::Choose(const PodOnNode& pod,
                                            std::span<const ClaimObject> claims) {
  ++choices;
  std::vector<PoolObject> pools;
  for (const auto& [name, pool] : pools_) {
    if (pool.pool.node == pod.node) pools.push_back(pool);
  }
  for (PoolObject& pool : pools) {
    for (const auto& [name, claim] : claims_) PutMissingEntry(claim, &pool);
    for (const ClaimObject& claim : claims) {
      device_writer::EraseEntry(claim.version.uid, &pool.entries);
      device_writer::EraseEntry(MissingOf(claim.version.uid), &pool.entries);
    }
  }
  Choice choice;
  for (const ClaimObject& claim : claims) {
    Grant grant;
    const Detail& detail = claim.claim.requests.at(0).details.at(0);
    for (int64_t i = 0; i < detail.min_count.value_or(1); ++i) {
      std::vector<std::pair<PoolObject*, Allocation>> options;
      for (PoolObject& pool : pools) {
        for (const Allocation& one : OneOf(pool, detail)) options.emplace_back(&pool, one);
      }
      if (random_ != nullptr) std::shuffle(options.begin(), options.end(), *random_);
      const auto taken = std::find_if(options.begin(), options.end(), [&](const auto& option) {
        return TryTake(option.second, claim, option.first);
      });
      if (taken == options.end()) return absl::ResourceExhaustedError("no devices are free");
      grant.holding.push_back(taken->second);
    }
    grant.holding = device_writer::Normal(grant.holding);
    grant.allocations = grant.holding;
    choice.grants.push_back(std::move(grant));
  }
  for (const Grant& grant : choice.grants) {
    for (const std::string& name : device_writer::PoolsOf(grant.holding)) {
      choice.pools.push_back(pools_.at(name));
    }
  }
  return choice;
}

void StoreChooser::LosePool(std::string_view name, std::string_view uid) {
  const auto at = pools_.find(std::string(name));
  if (at != pools_.end() && at->second.version.uid == uid) pools_.erase(at);
}

void StoreChooser::LoseClaim(const CustomObjectName& claim, bool /*privileged*/) {
  const auto at = claims_.find(std::string(claim.name));
  if (at != claims_.end() && at->second.version.uid == claim.uid) claims_.erase(at);
}

std::optional<PoolObject> StoreChooser::FindPool(std::string_view name) {
  const auto found = pools_.find(std::string(name));
  if (found == pools_.end()) return std::nullopt;
  return found->second;
}

std::vector<PoolObject> StoreChooser::Pools() const {
  std::vector<PoolObject> all;
  for (const auto& [name, pool] : pools_) all.push_back(pool);
  return all;
}

std::vector<ClaimObject> StoreChooser::Claims() const {
  std::vector<ClaimObject> all;
  for (const auto& [name, claim] : claims_) all.push_back(claim);
  return all;
}

std::optional<std::vector<ClaimObject>> StoreChooser::ClaimsOf(const PodFact& pod) const {
  std::vector<ClaimObject> claims;
  for (const PodClaim& claim : pod.claims) {
    const auto found = claims_.find(claim.claim_name);
    if (found == claims_.end()) return std::nullopt;
    claims.push_back(found->second);
  }
  return claims;
}

}  // namespace outrigger::devices::testing
