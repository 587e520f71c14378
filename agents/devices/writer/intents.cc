#include "devices/writer/intents.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "devices/writer/room.h"
#include "fmt/format.h"

namespace outrigger::device_writer {
namespace {

using devices::Grant;

bool HaveSame(const std::map<std::string, PoolEntry>& a,
              const std::map<std::string, PoolEntry>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && SameHolding(x.second.holding, y.second.holding);
  });
}

}  // namespace

absl::Status Intents::Write() {
  for (;;) {
    absl::Status status = Plan();
    bool plan_again = false;
    if (status.ok()) status = WritePools(&plan_again);
    if (!status.ok() || !plan_again) return status;
  }
}

absl::Status Intents::Plan() {
  wanted_.clear();
  for (Part& part : parts_) {
    if (part.is_new) continue;
    absl::Status status = PlanRenewal(&part);
    if (!status.ok()) return status;
  }
  return ChooseNew();
}

absl::Status Intents::ChooseNew() {
  std::vector<ClaimObject> claims;
  std::vector<Part*> parts;
  for (Part& part : parts_) {
    if (!part.is_new) continue;
    claims.push_back(part.claim);
    parts.push_back(&part);
  }
  if (claims.empty()) return absl::OkStatus();
  auto choice = scope_.chooser.Choose(scope_.pod, claims);
  if (!choice.ok()) return choice.status();
  if (choice->grants.size() != claims.size()) {
    return absl::InternalError("the choice of devices does not cover each claim once");
  }
  std::map<std::string_view, const PoolObject*> pools;
  for (const PoolObject& pool : choice->pools) pools[pool.pool.name] = &pool;
  for (size_t i = 0; i < parts.size(); ++i) {
    Grant& grant = choice->grants[i];
    for (const std::string& name : PoolsOf(grant.holding)) {
      const auto pool = pools.find(name);
      if (pool == pools.end()) {
        return absl::InternalError(fmt::format("the choice of devices lacks pool {}", name));
      }
      OfPool& wanted = wanted_[name];
      wanted.base = *pool->second;
      wanted.entries[parts[i]->claim.version.uid] =
          IntentOf(*parts[i], name, Of(name, grant.holding));
    }
    parts[i]->grant = std::move(grant);
  }
  return absl::OkStatus();
}

// A claim that is not confirmed yet gets the deadline of this attempt. Of how old the view of its
// pools is, nothing is known: they are read.
absl::Status Intents::PlanRenewal(Part* part) {
  const std::string& uid = part->claim.version.uid;
  part->is_renewed = HasPod(part->claim, scope_.pod.uid);
  const std::vector<Allocation> held = HoldingOf(part->claim);
  for (const std::string& name : PoolsOf(held)) {
    const auto pool = PoolNow(name);
    if (!pool.ok()) return pool.status();
    const PoolEntry* const entry = FindEntry(*pool, uid);
    if (entry == nullptr) return Uncovered(*part, name);
    if (entry->confirmed) continue;
    OfPool& wanted = wanted_[name];
    if (wanted.entries.empty()) wanted.base = *pool;
    wanted.entries[uid] = IntentOf(*part, name, entry->holding);
    part->is_renewed = true;
  }
  return absl::OkStatus();
}

// The pool was made again. The devices may be another claim's now, though that one has no entry
// either.
absl::Status Intents::Uncovered(const Part& part, std::string_view pool) {
  return absl::AbortedError(
      fmt::format("pool {} has no entry for the devices of {}, since it was created again. The "
                  "entry is restored once a pod runs with them; else the claim gets other devices",
                  pool, TextOf(NameOf(part.claim))));
}

// Read once. After that the chooser has it, or what was read later.
absl::StatusOr<PoolObject> Intents::PoolNow(const std::string& name) {
  auto known = scope_.chooser.FindPool(name);
  if (!read_.insert(name).second && known.has_value()) return *std::move(known);
  auto pool = scope_.calls.ReadPool(name);
  if (pool.ok()) scope_.chooser.SeePool(*pool);
  if (absl::IsNotFound(pool.status()) && known.has_value()) {
    scope_.chooser.LosePool(name, known->version.uid);
  }
  return pool;
}

PoolEntry Intents::IntentOf(const Part& part, std::string_view pool,
                            const std::vector<Allocation>& holding) const {
  PoolEntry entry;
  entry.claim_namespace = part.claim.claim.namespace_;
  entry.claim_name = part.claim.claim.name;
  entry.claim_uid = part.claim.version.uid;
  entry.pod_name = scope_.pod.name;
  entry.pod_uid = scope_.pod.uid;
  entry.deadline = scope_.deadline;
  entry.writer = scope_.options.identity;
  entry.holding = Of(pool, holding);
  return entry;
}

absl::Status Intents::WritePools(bool* plan_again) {
  std::set<std::string> names;
  for (const auto& [name, wanted] : wanted_) names.insert(name);
  for (const auto& [name, mine] : mine_) names.insert(name);
  for (const std::string& name : names) {
    absl::Status status = WritePool(name, plan_again);
    if (!status.ok() || *plan_again) return status;
  }
  return absl::OkStatus();
}

absl::Status Intents::WritePool(const std::string& name, bool* plan_again) {
  const auto had = mine_.find(name);
  const auto wants = wanted_.find(name);
  const bool is_wanted = wants != wanted_.end();
  static const std::map<std::string, PoolEntry> kNone;
  const bool is_same = had != mine_.end() &&
                       HaveSame(had->second.entries, is_wanted ? wants->second.entries : kNone);
  if (is_same && !lost_.contains(name)) return absl::OkStatus();
  absl::Status status = is_wanted ? TakeOver(name, &wants->second) : absl::OkStatus();
  if (!status.ok()) return status;
  OfPool next;
  if (is_wanted) {
    next = wants->second;
  } else {
    next.base = had->second.base;
  }
  std::vector<PoolEntry> entries = next.base.entries;
  if (had != mine_.end()) {
    for (const auto& [uid, entry] : had->second.entries) EraseEntry(uid, &entries);
  }
  for (auto& [uid, entry] : next.entries) PutEntry(entry, &entries);
  const Room room(next.base.pool, entries);
  for (const auto& [uid, entry] : next.entries) {
    status = room.Check(entry);
    if (!status.ok()) return SeeAgain(next.base, status, plan_again);
  }
  auto written = scope_.calls.WritePool(next.base, entries);
  if (!written.ok()) return SeeAgain(next.base, written.status(), plan_again);
  scope_.chooser.SeePool(*written);
  lost_.erase(name);
  next.base = *std::move(written);
  if (next.entries.empty()) {
    mine_.erase(name);
  } else {
    mine_[name] = std::move(next);
  }
  return absl::OkStatus();
}

// What the pool has of this pod's claims without this attempt.
absl::Status Intents::TakeOver(const std::string& name, OfPool* wanted) {
  for (auto& [uid, intent] : wanted->entries) {
    const PoolEntry* const entry = FindEntry(wanted->base, uid);
    Part* const part = PartOf(uid);
    if (entry == nullptr) continue;
    // A write that changes nothing would leave the pool in its version.
    if (*entry == intent) intent.deadline = *intent.deadline + std::chrono::seconds(1);
    if (IsMine(name, *entry) || !part->is_new) continue;
    absl::Status status = TakeOverEntry(*entry, part);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Intents::TakeOverEntry(const PoolEntry& entry, Part* part) {
  const ClaimName name = NameOf(part->claim);
  if (!entry.confirmed) {
    if (entry.pod_uid == scope_.pod.uid || IsDue(entry, scope_.options.wall()))
      return Fence(entry, part);
    return absl::AbortedError(fmt::format("{} is being allocated for pod {} until {}", TextOf(name),
                                          entry.pod_name, TimeText(*entry.deadline)));
  }
  // The claim was freed and this entry is still to go, or the claim is known in an old version.
  const auto live = scope_.calls.ReadClaim(name);
  if (!live.ok()) return live.status();
  if (live->version.resource_version == part->claim.version.resource_version) {
    return absl::OkStatus();
  }
  return scope_.Changed(TextOf(name));
}

absl::Status Intents::Fence(const PoolEntry& intent, Part* part) {
  // A writer may have an intent in several pools. All of them are of one version of the claim.
  const std::pair<std::string, WallTime> key(intent.writer,
                                             intent.deadline.value_or(WallTime::min()));
  if (part->fenced.contains(key)) return absl::OkStatus();
  const std::string message = FenceMessage(intent, part->claim);
  const ClaimName name = NameOf(part->claim);
  auto written =
      scope_.calls.WriteClaim(part->claim, devices::ClaimUsePatch(part->claim.pods, message));
  if (!written.ok() && MayHaveHappened(written.status())) {
    auto live = scope_.calls.ReadClaim(name);
    if (live.ok() && live->message == message) written = std::move(live);
  }
  if (absl::IsAborted(written.status())) return scope_.Changed(TextOf(name));
  if (!written.ok()) return written.status();
  scope_.chooser.SeeClaim(*written);
  part->claim = *std::move(written);
  part->fenced.insert(key);
  return absl::OkStatus();
}

// Looks at a pool that was not written, or of which that is not known.
absl::Status Intents::SeeAgain(const PoolObject& base, const absl::Status& why, bool* plan_again) {
  const std::string& name = base.pool.name;
  const bool may_repeat = absl::IsAborted(why) || absl::IsNotFound(why) ||
                          absl::IsFailedPrecondition(why) || MayHaveHappened(why);
  if (!may_repeat) return why;
  const auto live = scope_.calls.ReadPool(name);
  if (absl::IsNotFound(live.status())) {
    scope_.chooser.LosePool(name, base.version.uid);
    mine_.erase(name);
  } else if (!live.ok()) {
    return live.status();
  } else {
    scope_.chooser.SeePool(*live);
    FindMine(*live, MayHaveHappened(why));
    // A write without answer can arrive as long as the pool stays in its version.
    const bool is_same = live->version.resource_version == base.version.resource_version;
    if (!is_same) lost_.erase(name);
    if (is_same && MayHaveHappened(why)) lost_.insert(name);
  }
  if (++tries_[name] >= scope_.options.most_tries) {
    if (MayHaveHappened(why) || absl::IsFailedPrecondition(why)) return why;
    return absl::AbortedError(
        fmt::format("pool {} changed {} times while devices were written", name, tries_[name]));
  }
  *plan_again = true;
  return absl::OkStatus();
}

// What the pool has of this attempt: `is_lost`, also what was written without an answer.
void Intents::FindMine(const PoolObject& live, bool is_lost) {
  const std::string& name = live.pool.name;
  const auto wants = wanted_.find(name);
  OfPool mine;
  for (const PoolEntry& entry : live.entries) {
    bool is_mine = IsMine(name, entry);
    if (is_lost && wants != wanted_.end()) {
      const auto intent = wants->second.entries.find(entry.claim_uid);
      is_mine = is_mine || (intent != wants->second.entries.end() && intent->second == entry);
    }
    if (is_mine) mine.entries[entry.claim_uid] = entry;
  }
  mine.base = live;
  if (mine.entries.empty()) {
    mine_.erase(name);
  } else {
    mine_[name] = std::move(mine);
  }
}

absl::Status Intents::Check() {
  for (auto at = mine_.begin(); at != mine_.end(); ++at) {
    absl::Status status = CheckPool(at->first, &at->second);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Intents::CheckPool(const std::string& name, OfPool* mine) {
  auto live = scope_.calls.ReadPool(name);
  if (absl::IsNotFound(live.status())) {
    scope_.chooser.LosePool(name, mine->base.version.uid);
    return scope_.Changed(fmt::format("pool {}", name));
  }
  if (!live.ok()) return live.status();
  scope_.chooser.SeePool(*live);
  bool is_same = live->version.uid == mine->base.version.uid;
  const Room room(live->pool, live->entries);
  std::map<std::string, PoolEntry> still_mine;
  for (const auto& [uid, written] : mine->entries) {
    const PoolEntry* const entry = FindEntry(*live, uid);
    // A pod that shares the claim may have written its own intent in its place.
    is_same = is_same && entry != nullptr && SameHolding(entry->holding, written.holding) &&
              room.Check(*entry).ok();
    if (entry != nullptr && *entry == written) still_mine.emplace(uid, written);
  }
  if (!is_same) return scope_.Changed(fmt::format("pool {}", name));
  mine->base = *std::move(live);
  mine->entries = std::move(still_mine);
  return absl::OkStatus();
}

Part* Intents::PartOf(std::string_view claim_uid) {
  for (Part& part : parts_) {
    if (part.claim.version.uid == claim_uid) return &part;
  }
  return nullptr;
}

bool Intents::IsMine(const std::string& pool, const PoolEntry& entry) const {
  const auto mine = mine_.find(pool);
  if (mine == mine_.end()) return false;
  const auto found = mine->second.entries.find(entry.claim_uid);
  return found != mine->second.entries.end() && found->second == entry;
}

}  // namespace outrigger::device_writer
