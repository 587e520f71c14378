#include "judge_testing.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

namespace outrigger::devices::testing {
namespace {

using Json = nlohmann::json;

int64_t GiOf(const Json& amount) {
  return std::stoll(amount.get<std::string>());  // "2Gi"
}

const Json& At(const Json& object, const char* key) {
  static const Json none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

std::string UidOf(const Json& object) {
  return object["metadata"]["uid"];
}

void Add(const std::string& pool, const Json& device, const char* name, const Json& amounts,
         std::map<std::string, int64_t>* sums) {
  const std::string key = pool + "/" + device[name].get<std::string>();
  if (amounts.empty()) (*sums)[key] += 1;
  for (const Json& amount : amounts) {
    (*sums)[key + "/" + amount["name"].get<std::string>()] += GiOf(amount["allocation"]);
  }
}

}  // namespace

void Judge::Fault(std::string text) {
  if (seen_.insert(text).second) faults_.push_back(std::move(text));
}

Judge::Amounts Judge::OfClaim(const Json& claim) {
  Amounts amounts;
  for (const Json& held : At(At(claim, "status"), "allocations")) {
    const std::string pool = held["devicePoolName"];
    if (held.contains("deviceCount")) {
      amounts[pool + "/"] += held["deviceCount"].get<int64_t>();
    } else {
      Add(pool, held, "deviceName", At(held, "allocations"), &amounts);
    }
  }
  return amounts;
}

Judge::Amounts Judge::OfEntry(const std::string& pool, const Json& entry) {
  Amounts amounts;
  if (entry.contains("deviceCount")) amounts[pool + "/"] = entry["deviceCount"].get<int64_t>();
  for (const Json& held : At(entry, "devices")) {
    Add(pool, held, "name", At(held, "allocations"), &amounts);
  }
  return amounts;
}

bool Judge::IsThere(const std::string& claim_uid) const {
  const auto claims = world_.api.All(kClaimKind);
  return std::any_of(claims.begin(), claims.end(),
                     [&](const Json& claim) { return UidOf(claim) == claim_uid; });
}

bool Judge::HasEntry(const std::string& pool, const std::string& claim_uid) const {
  const auto object = world_.api.Get(kPoolKind, "", pool);
  const Json& entries = At(At(*object, "status"), "allocations");
  return std::any_of(entries.begin(), entries.end(),
                     [&](const Json& entry) { return entry["claimUID"] == claim_uid; });
}

void Judge::IsDeleted(const std::string& claim) {
  const auto object = world_.api.Get(kClaimKind, "ns", claim);
  if (!object.has_value()) return;
  for (auto& [key, amounts] : used_) {
    const std::string& uid = key.second;
    if (uid != UidOf(*object)) continue;
    std::erase_if(amounts, [&](const auto& one) {
      return !HasEntry(one.first.substr(0, one.first.find('/')), uid);
    });
  }
}

void Judge::IsMadeAgain(const std::string& pool) {
  pools_change_ = true;
  for (auto& [key, amounts] : used_) {
    if (IsThere(key.second)) continue;
    std::erase_if(amounts, [&](const auto& one) { return one.first.starts_with(pool + "/"); });
  }
}

void Judge::Shrinks(const std::string& pool) {
  pools_change_ = true;
  const auto object = world_.api.Get(kPoolKind, "", pool);
  const Json& spec = (*object)["spec"];
  if (spec.contains("count")) {
    if (spec["count"] != 0) ++lost_[pool + "/"];
  } else if (!At(spec, "devices").empty()) {
    lost_[pool + "/" + spec["devices"].back()["name"].get<std::string>()] = 1;
  }
}

int64_t Judge::CapacityOf(const std::string& what) const {
  const std::string pool = what.substr(0, what.find('/'));
  if (what.ends_with("/memory")) return 8;
  const auto object = world_.api.Get(kPoolKind, "", pool);
  if (!what.ends_with('/') || !object.has_value()) return 1;
  // Who has devices that are gone keeps them.
  const auto lost = lost_.find(what);
  return (*object)["spec"]["count"].get<int64_t>() + (lost == lost_.end() ? 0 : lost->second);
}

void Judge::CheckSum(const std::vector<Amounts>& all, const std::string& where) {
  Amounts sums;
  for (const Amounts& amounts : all) {
    for (const auto& [what, amount] : amounts) sums[what] += amount;
  }
  for (const auto& [what, sum] : sums) {
    if (sum > CapacityOf(what)) Fault(fmt::format("{}: {} of {}", where, sum, what));
  }
}

bool Judge::IsAlive(const std::string& pod_uid) const {
  return std::any_of(world_.pods.begin(), world_.pods.end(), [&](const auto& pod) {
    return pod.second.uid == pod_uid && !pod.second.finished;
  });
}

void Judge::LookAt() {
  std::vector<Amounts> claimed;
  for (const Json& claim : world_.api.All(kClaimKind)) {
    claimed.push_back(OfClaim(claim));
    for (const Json& pod : At(At(claim, "status"), "pods")) {
      const std::string uid = pod["uid"];
      const auto fact = world_.pods.find(pod["name"].get<std::string>());
      const bool is_bound = fact != world_.pods.end() && fact->second.uid == uid &&
                            fact->second.node == claim["status"]["nodeName"] &&
                            !fact->second.finished && world_.served.contains(uid);
      if (is_bound) used_[{uid, UidOf(claim)}] = OfClaim(claim);
    }
  }
  // A claim may be written on an intent that went with its pool: its writer finds out before it
  // binds the pod.
  if (!pools_change_) {
    CheckSum(claimed, "devices of two claims");
    CheckEntries();
  }
  std::map<std::string, Amounts> by_claim;
  std::erase_if(used_, [this](const auto& use) { return !IsAlive(use.first.first); });
  for (const auto& [key, amounts] : used_) by_claim[key.second] = amounts;
  std::vector<Amounts> all;
  for (auto& [uid, amounts] : by_claim) all.push_back(std::move(amounts));
  CheckSum(all, "devices of pods that run");
}

// Entries come before what a claim has, and go after it.
void Judge::CheckEntries() {
  std::set<std::pair<std::string, std::string>> entries;
  for (const Json& pool : world_.api.All(kPoolKind)) {
    for (const Json& entry : At(At(pool, "status"), "allocations")) {
      entries.emplace(pool["metadata"]["name"], entry["claimUID"]);
    }
  }
  for (const Json& claim : world_.api.All(kClaimKind)) {
    for (const auto& [what, amount] : OfClaim(claim)) {
      const std::string pool = what.substr(0, what.find('/'));
      if (entries.contains({pool, UidOf(claim)})) continue;
      Fault(fmt::format("pool {} lets others have what claim {} has", pool,
                        claim["metadata"]["name"].get<std::string>()));
    }
  }
}

void Judge::LookAtRest() {
  LookAt();
  std::map<std::string, Json> claims;
  std::vector<Amounts> claimed;
  for (const Json& claim : world_.api.All(kClaimKind)) {
    claims[UidOf(claim)] = claim;
    claimed.push_back(OfClaim(claim));
  }
  CheckSum(claimed, "devices of two claims, at rest");
  for (const Json& pool : world_.api.All(kPoolKind)) CheckPool(pool, claims);
  for (const auto& [uid, claim] : claims) CheckClaim(claim);
  CheckPods(claims);
}

void Judge::CheckPool(const Json& pool, const std::map<std::string, Json>& claims) {
  const std::string name = pool["metadata"]["name"];
  const Json& status = At(pool, "status");
  std::vector<Amounts> held;
  Amounts sums;
  for (const Json& entry : At(status, "allocations")) {
    CheckEntry(name, entry, claims);
    held.push_back(OfEntry(name, entry));
    for (const auto& [what, amount] : held.back()) sums[what] += amount;
  }
  CheckSum(held, "entries");
  if (status.is_null() || pools_change_) return;  // then others write totals
  const Json& spec = pool["spec"];
  int64_t total = 0;
  int64_t free = 0;
  if (spec.contains("count")) {
    total = spec["count"];
    free = total - sums[name + "/"];
  }
  for (const Json& device : At(spec, "devices")) {
    const std::string key = name + "/" + device["name"].get<std::string>();
    ++total;
    const bool is_free = sums[key] == 0 && sums[key + "/memory"] < 8;
    if (is_free) ++free;
  }
  if (status["totalDevices"] != total || status["freeDevices"] != free) {
    Fault(fmt::format("pool {} says {} of {} are free, and it is {} of {}", name,
                      status["freeDevices"].dump(), status["totalDevices"].dump(), free, total));
  }
}

// A claim that is gone: its devices are those of a pod that still runs.
bool Judge::IsUser(const Json& entry) const {
  return std::any_of(world_.pods.begin(), world_.pods.end(), [&](const auto& pair) {
    const PodFact& pod = pair.second;
    if (pod.node.empty() || pod.finished) return false;
    if (pod.uid == entry.value("podUID", "")) return true;
    return std::any_of(pod.claims.begin(), pod.claims.end(), [&](const PodClaim& claim) {
      return claim.claim_name == entry.value("claimName", "");
    });
  });
}

void Judge::CheckEntry(const std::string& pool, const Json& entry,
                       const std::map<std::string, Json>& claims) {
  const std::string name = entry.value("claimName", "");
  const auto claim = claims.find(entry["claimUID"].get<std::string>());
  if (claim == claims.end()) {
    if (!IsUser(entry)) Fault(fmt::format("pool {} has an entry of {}, which is gone", pool, name));
    return;
  }
  if (entry["state"] != "Confirmed") Fault(fmt::format("pool {}: {} is an intent", pool, name));
  Amounts of_pool;
  for (const auto& [what, amount] : OfClaim(claim->second)) {
    if (what.starts_with(pool + "/")) of_pool[what] = amount;
  }
  if (of_pool != OfEntry(pool, entry)) {
    Fault(fmt::format("pool {} and claim {} do not agree", pool, name));
  }
}

void Judge::CheckClaim(const Json& claim) {
  const std::string name = claim["metadata"]["name"];
  const Json& status = At(claim, "status");
  const Amounts amounts = OfClaim(claim);
  const Json& pods = At(status, "pods");
  if (amounts.empty()) {
    if (!pods.empty()) Fault(fmt::format("claim {} has pods and no devices", name));
    return;
  }
  if (status["state"] != "Allocated") Fault(fmt::format("claim {} is not Allocated", name));
  if (pods.empty()) Fault(fmt::format("claim {} is lost: it has no pods", name));
  for (const Json& pod : pods) {
    if (!IsAlive(pod["uid"]))
      Fault(fmt::format("claim {} is lost: pod {} has ended", name, pod["name"].dump()));
  }
  // An entry with a device that is gone cannot be written again.
  std::set<std::string> lost_pools;
  for (const auto& [what, amount] : amounts) {
    const std::string device = what.substr(0, what.find('/', what.find('/') + 1));
    if (lost_.contains(device)) lost_pools.insert(what.substr(0, what.find('/')));
  }
  for (const auto& [what, amount] : amounts) {
    const std::string pool = what.substr(0, what.find('/'));
    if (lost_pools.contains(pool)) continue;
    if (!HasEntry(pool, UidOf(claim))) {
      Fault(fmt::format("pool {} has no entry of claim {}", pool, name));
    }
  }
}

void Judge::CheckPods(const std::map<std::string, Json>& claims) {
  for (const auto& [name, pod] : world_.pods) {
    if (pod.node.empty() || pod.finished) continue;
    for (const auto& [uid, claim] : claims) {
      for (const Json& user : At(At(claim, "status"), "pods")) {
        if (user["uid"] == pod.uid && claim["status"]["nodeName"] != pod.node) {
          Fault(fmt::format("claim {} is on another node than pod {}",
                            claim["metadata"]["name"].dump(), name));
        }
      }
    }
  }
}

}  // namespace outrigger::devices::testing
