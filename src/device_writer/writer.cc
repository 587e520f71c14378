#include "outrigger/devices/writer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device_writer/attempt.h"
#include "device_writer/holdings.h"
#include "device_writer/object_calls.h"
#include "device_writer/release.h"
#include "fmt/format.h"

namespace outrigger::devices {
namespace {

using device_writer::NameOf;
using device_writer::ObjectCalls;

// Entries of this call are confirmed.
bool ConfirmEntries(const Written& written, std::string_view identity, PoolObject* pool) {
  bool changes = false;
  for (PoolEntry& entry : pool->entries) {
    if (entry.confirmed || entry.pod_uid != written.pod.uid || entry.writer != identity) continue;
    const bool is_of_call =
        std::any_of(written.claims.begin(), written.claims.end(),
                    [&](const ClaimObject& claim) { return claim.version.uid == entry.claim_uid; });
    if (!is_of_call) continue;
    entry.confirmed = true;
    entry.deadline.reset();
    entry.writer.clear();
    changes = true;
  }
  return changes;
}

absl::Status ConfirmPool(const PoolObject& known, const Written& written,
                         const WriterOptions& options, const ObjectCalls& calls, Chooser* chooser) {
  absl::StatusOr<PoolObject> at = known;
  absl::Status last;
  for (int i = 0; i < options.most_tries; ++i) {
    PoolObject confirmed = *at;
    if (!ConfirmEntries(written, options.identity, &confirmed)) return absl::OkStatus();
    const auto done = calls.WritePool(*at, confirmed.entries);
    if (done.ok()) chooser->SeePool(*done);
    last = done.status();
    if (!absl::IsAborted(last) && !device_writer::MayHaveHappened(last)) return last;
    at = calls.ReadPool(known.pool.name);
    if (!at.ok()) return at.status();
  }
  return last;
}

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

AllocationWriter::AllocationWriter(CustomObjectAccess* api, WriterOptions options)
    : api_(*api), options_(std::move(options)) {}

absl::StatusOr<Written> AllocationWriter::Write(const PodOnNode& pod,
                                                std::vector<ClaimObject> claims, Chooser* chooser,
                                                const CallLimits& limits) const {
  const ObjectCalls calls(&api_, limits);
  std::string changed;
  for (int i = 0; i < options_.most_tries; ++i) {
    device_writer::Attempt attempt(pod, claims, &calls, &options_, chooser);
    absl::Status status = attempt.Run();
    if (status.ok()) return attempt.TakeWritten();
    changed = attempt.changed_claim();
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
  const ObjectCalls calls(&api_, limits);
  absl::Status result;
  for (const PoolObject& pool : written.pools) {
    result.Update(ConfirmPool(pool, written, options_, calls, chooser));
  }
  return result;
}

absl::Status AllocationWriter::GiveBack(const Written& written, Chooser* chooser,
                                        const CallLimits& limits) const {
  const ObjectCalls calls(&api_, limits);
  const device_writer::Release release(&calls, &options_, chooser);
  absl::Status result;
  std::map<std::string, std::vector<device_writer::Removal>> removals;
  for (auto claim = written.claims.rbegin(); claim != written.claims.rend(); ++claim) {
    const auto freed = release.TakePods(
        *claim, [&](const PodReference& pod) { return pod.uid == written.pod.uid; });
    result.Update(freed.status());
    if (!freed.ok() || !*freed) continue;
    for (const std::string& pool : device_writer::PoolsOf(claim->claim.allocations)) {
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
  if (read.ok() && read->owner_pod_uid != pod.uid) {
    return absl::AlreadyExistsError(
        fmt::format("claim {}/{} is there and does not belong to the pod: \"{}\" in the pod's "
                    "annotation needs another name",
                    pod.namespace_, claim.claim_name, claim.name));
  }
  return read;
}

}  // namespace outrigger::devices
