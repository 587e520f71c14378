#include "devices/writer/writer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "devices/writer/attempt.h"
#include "devices/writer/holdings.h"
#include "devices/writer/object_calls.h"
#include "devices/writer/release.h"
#include "fmt/format.h"

namespace outrigger::devices {
namespace {

using device_writer::NameOf;
using device_writer::ObjectCalls;

/// Step 4 in one pool.
class Confirmation {
 public:
  /// All outlive it. `known`: the pool with the intents of the call.
  Confirmation(const PoolObject& known, const Written& written, const WriterOptions& options,
               const ObjectCalls& calls, Chooser* chooser)
      : known_(known), options_(options), calls_(calls), chooser_(*chooser) {
    for (const PoolEntry& entry : known.entries) {
      if (entry.confirmed || entry.pod_uid != written.pod.uid) continue;
      if (entry.writer != options.identity) continue;
      const bool is_of_call = std::any_of(
          written.claims.begin(), written.claims.end(),
          [&](const ClaimObject& claim) { return claim.version.uid == entry.claim_uid; });
      if (is_of_call) intents_.push_back(&entry);
    }
  }

  absl::Status Write() {
    absl::StatusOr<PoolObject> at = known_;
    absl::Status last;
    for (int i = 0; i < options_.most_tries; ++i) {
      PoolObject confirmed = *at;
      absl::Status missing;
      const bool changes = Confirm(&confirmed, &missing);
      if (!changes) return missing;
      const auto done = calls_.WritePool(*at, confirmed.entries);
      if (done.ok()) {
        chooser_.SeePool(*done);
        return missing;
      }
      last = done.status();
      const bool may_repeat =
          absl::IsAborted(last) || absl::IsNotFound(last) || device_writer::MayHaveHappened(last);
      if (!may_repeat) return last;
      at = calls_.ReadPool(known_.pool.name);
      if (!at.ok()) return at.status();
    }
    return last;
  }

 private:
  // Whether an entry changes. One that another pod of the claim wrote is that pod's to confirm.
  bool Confirm(PoolObject* pool, absl::Status* missing) const {
    bool changes = false;
    for (const PoolEntry* intent : intents_) {
      const auto entry = std::find_if(
          pool->entries.begin(), pool->entries.end(),
          [intent](const PoolEntry& other) { return other.claim_uid == intent->claim_uid; });
      if (entry == pool->entries.end() ||
          !device_writer::SameHolding(entry->holding, intent->holding)) {
        missing->Update(absl::NotFoundError(
            fmt::format("pool {} no longer has an entry for the devices of claim {}/{}",
                        known_.pool.name, intent->claim_namespace, intent->claim_name)));
        continue;
      }
      const bool is_other = entry->pod_uid != intent->pod_uid || entry->writer != intent->writer;
      if (entry->confirmed || is_other) continue;
      entry->confirmed = true;
      entry->deadline.reset();
      entry->writer.clear();
      changes = true;
    }
    return changes;
  }

  const PoolObject& known_;
  const WriterOptions& options_;
  const ObjectCalls& calls_;
  Chooser& chooser_;
  std::vector<const PoolEntry*> intents_;  // of `known_`
};

absl::StatusOr<std::vector<ClaimObject>> ReadAgain(const std::vector<ClaimObject>& claims,
                                                   const ObjectCalls& calls, Chooser* chooser) {
  std::vector<ClaimObject> live;
  for (const ClaimObject& claim : claims) {
    auto read = calls.ReadClaim(NameOf(claim));
    if (absl::IsNotFound(read.status())) Lose(NameOf(claim), chooser);
    if (!read.ok()) return read.status();
    chooser->SeeClaim(*read);
    live.push_back(*std::move(read));
  }
  return live;
}

}  // namespace

BindingEnd EndOf(const PodOnNode& pod, const absl::StatusOr<std::string>& node, bool may_be_bound) {
  if (absl::IsNotFound(node.status())) return BindingEnd::kNotBound;
  if (!node.ok()) return BindingEnd::kOpen;
  if (*node == pod.node) return BindingEnd::kBound;
  if (!node->empty()) return BindingEnd::kNotBound;
  return may_be_bound ? BindingEnd::kOpen : BindingEnd::kNotBound;
}

AllocationWriter::AllocationWriter(CustomObjectAccess* api, WriterOptions options)
    : api_(*api), options_(std::move(options)) {}

absl::StatusOr<Written> AllocationWriter::Write(const PodOnNode& pod,
                                                std::vector<ClaimObject> claims, Chooser* chooser,
                                                const CallLimits& limits) const {
  const ObjectCalls calls(&api_, limits, options_.now);
  std::string changed;
  for (int i = 0; i < options_.most_tries; ++i) {
    device_writer::Attempt attempt(pod, claims, &calls, &options_, chooser);
    absl::Status status = attempt.Run();
    if (status.ok()) return attempt.TakeWritten();
    changed = attempt.changed();
    if (changed.empty()) return status;
    auto live = ReadAgain(claims, calls, chooser);
    if (!live.ok()) return live.status();
    claims = *std::move(live);
  }
  return absl::AbortedError(
      fmt::format("{} changed {} times while devices were written", changed, options_.most_tries));
}

absl::Status AllocationWriter::Confirm(const Written& written, Chooser* chooser,
                                       const CallLimits& limits) const {
  const ObjectCalls calls(&api_, limits, options_.now);
  absl::Status result;
  for (const PoolObject& pool : written.pools) {
    result.Update(Confirmation(pool, written, options_, calls, chooser).Write());
  }
  return result;
}

absl::Status AllocationWriter::GiveBack(const Written& written, Chooser* chooser,
                                        const CallLimits& limits) const {
  const ObjectCalls calls(&api_, limits, options_.now);
  const device_writer::Release release(&calls, &options_, chooser);
  absl::Status result;
  std::map<std::string, std::vector<device_writer::Removal>> removals;
  for (auto claim = written.claims.rbegin(); claim != written.claims.rend(); ++claim) {
    if (written.had.contains(claim->version.uid)) continue;
    const auto freed = release.TakePods(
        *claim, [&](const PodReference& pod) { return pod.uid == written.pod.uid; });
    result.Update(freed.status());
    if (!freed.ok() || !*freed) continue;
    for (const std::string& pool : device_writer::PoolsOf(HoldingOf(*claim))) {
      removals[pool].push_back({NameOf(*claim), std::nullopt});
    }
  }
  for (auto& [name, of_pool] : removals) {
    const PoolObject* known = nullptr;
    for (const PoolObject& pool : written.pools) {
      if (pool.pool.name == name) known = &pool;
    }
    for (device_writer::Removal& removal : of_pool) {
      const PoolEntry* const entry =
          known == nullptr ? nullptr : device_writer::FindEntry(*known, removal.claim.uid);
      if (entry != nullptr) removal.expected = *entry;
    }
    result.Update(release.RemoveEntries(name, of_pool, known));
  }
  return result;
}

absl::StatusOr<ClaimObject> AllocationWriter::CreateEmbedded(const PodOnNode& pod,
                                                             const PodClaim& claim,
                                                             const CallLimits& limits) const {
  const std::string json = EmbeddedClaim(pod.namespace_, pod.name, pod.uid, claim);
  // The API server would drop a field that it does not know.
  const auto asked = ParseClaim(json);
  if (asked.ok() && !asked->claim.fault.empty()) {
    return absl::FailedPreconditionError(
        fmt::format("claim {}/{}: {}", pod.namespace_, claim.claim_name, asked->claim.fault));
  }
  auto created = api_.CreateCustomObject(kClaimKind, pod.namespace_, json, limits);
  const bool may_be_there =
      absl::IsAlreadyExists(created.status()) || device_writer::MayHaveHappened(created.status());
  if (!created.ok() && may_be_there) {
    const absl::Status why = created.status();
    const CustomObjectName name{.namespace_ = pod.namespace_, .name = claim.claim_name};
    created = api_.ReadCustomObject(kClaimKind, name, limits);
    if (absl::IsNotFound(created.status())) created = why;
  }
  if (!created.ok()) return created.status();
  auto read = ParseClaim(*created);
  if (!read.ok()) return read;
  const std::string conflict = EmbeddedClaimConflict(*read, claim, pod.uid);
  if (!conflict.empty()) return absl::AlreadyExistsError(conflict);
  return read;
}

}  // namespace outrigger::devices
