#include "devices/writer/attempt.h"

#include <chrono>
#include <set>
#include <utility>

#include "devices/writer/release.h"
#include "fmt/format.h"

namespace outrigger::device_writer {
namespace {

using devices::PodReference;

// What is left of the time for an attempt may be nothing.
constexpr std::chrono::seconds kGivingBack{10};

WallTime DeadlineOf(const devices::WriterOptions& options) {
  return std::chrono::floor<std::chrono::seconds>(options.wall()) + options.intent_time;
}

}  // namespace

Attempt::Attempt(const devices::PodOnNode& pod, const std::vector<ClaimObject>& claims,
                 const ObjectCalls* calls, const devices::WriterOptions* options,
                 devices::Chooser* chooser)
    : scope_{.pod = pod,
             .calls = *calls,
             .options = *options,
             .chooser = *chooser,
             .deadline = DeadlineOf(*options)},
      intents_(&scope_, &parts_),
      commit_(&scope_) {
  for (const ClaimObject& claim : claims) {
    Part& part = parts_.emplace_back();
    part.claim = claim;
    part.is_new = !IsAllocated(claim);
    part.had_pod = !part.is_new && HasPod(claim, pod.uid);
  }
}

absl::Status Attempt::Run() {
  absl::Status status = CheckClaims();
  if (status.ok()) status = intents_.Write();
  if (status.ok()) status = commit_.Write(&parts_);
  if (status.ok()) status = CheckPools();
  if (status.ok()) status = commit_.CheckTime();
  if (!status.ok()) GiveBack();
  return status;
}

devices::Written Attempt::TakeWritten() {
  devices::Written written;
  written.pod = scope_.pod;
  written.deadline = scope_.deadline;
  for (Part& part : parts_) {
    if (part.had_pod) written.had.insert(part.claim.version.uid);
    written.claims.push_back(std::move(part.claim));
  }
  for (const auto& [name, mine] : intents_.mine()) written.pools.push_back(mine.base);
  return written;
}

absl::Status Attempt::CheckClaims() const {
  for (const Part& part : parts_) {
    const std::string name = TextOf(NameOf(part.claim));
    if (part.claim.version.deleting) {
      return absl::FailedPreconditionError(fmt::format("{} is being deleted", name));
    }
    if (part.is_new || part.claim.node == scope_.pod.node) continue;
    return absl::FailedPreconditionError(
        fmt::format("{} is allocated on node {}", name, part.claim.node));
  }
  return absl::OkStatus();
}

absl::Status Attempt::CheckPools() {
  absl::Status status = intents_.Check();
  // Of a pod that runs the claims stay what they are, and another attempt would find them so.
  if (!status.ok() && scope_.pod.is_bound) scope_.changed.clear();
  return status;
}

// Claims first. What is not known, or cannot be freed, is left with its entries, and so is what was
// the pod's before: it may run with it.
void Attempt::GiveBack() {
  if (commit_.is_unknown()) return;
  const ObjectCalls calls = scope_.calls.Within(kGivingBack);
  const Release release(&calls, &scope_.options, &scope_.chooser);
  std::set<std::string> kept;
  for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
    const std::string& uid = part->claim.version.uid;
    // Of a claim that had devices before, the entries are not of this attempt alone.
    if (!part->is_new) kept.insert(uid);
    if (!part->is_written || part->had_pod) continue;
    if (scope_.pod.is_bound) {
      kept.insert(uid);
      continue;
    }
    const auto freed = release.TakePods(
        part->claim, [this](const PodReference& pod) { return pod.uid == scope_.pod.uid; });
    if (!freed.ok() || !*freed) kept.insert(uid);
  }
  for (const auto& [name, mine] : intents_.mine()) {
    std::vector<Removal> removals;
    for (const Part& part : parts_) {
      const auto entry = mine.entries.find(part.claim.version.uid);
      if (entry == mine.entries.end() || kept.contains(entry->first)) continue;
      removals.push_back({NameOf(part.claim), entry->second});
    }
    if (!removals.empty()) (void)release.RemoveEntries(name, removals, &mine.base);
  }
}

using devices::PodReference;

absl::Status Commit::Write(std::vector<Part>* parts) {
  for (Part& part : *parts) {
    absl::Status status = WriteClaim(&part);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Whoever looks at the intents by a clock that is ahead must not find them due before the pod is
// bound.
absl::Status Commit::CheckTime() const {
  if (scope_.options.wall() + scope_.options.binding_time <= scope_.deadline) {
    return absl::OkStatus();
  }
  return absl::DeadlineExceededError(
      fmt::format("the intents of pod {}/{} expire at {}: too little time left to bind it",
                  scope_.pod.namespace_, scope_.pod.name, TimeText(scope_.deadline)));
}

absl::Status Commit::WriteClaim(Part* part) {
  const ClaimName name = NameOf(part->claim);
  const std::string patch = PatchOf(*part);
  absl::Status last = absl::OkStatus();
  for (int i = 0; i < scope_.options.most_tries; ++i) {
    absl::Status status = CheckTime();
    if (!status.ok()) return last.ok() ? status : GiveUpLostWrite(status, part);
    auto written = scope_.calls.WriteClaim(part->claim, patch);
    if (written.ok()) return Take(*std::move(written), part);
    const bool may_be_there =
        absl::IsAborted(written.status()) || MayHaveHappened(written.status());
    if (!may_be_there) {
      return last.ok() ? written.status() : GiveUpLostWrite(written.status(), part);
    }
    last = written.status();
    auto live = scope_.calls.ReadClaim(name);
    is_unknown_ = !live.ok() && !absl::IsNotFound(live.status());
    if (absl::IsNotFound(live.status())) Lose(name, &scope_.chooser);
    if (!live.ok()) return live.status();
    if (IsWritten(*part, *live)) return Take(*std::move(live), part);
    scope_.chooser.SeeClaim(*live);
    if (live->version.resource_version != part->claim.version.resource_version) {
      return scope_.Changed(TextOf(name));
    }
  }
  return GiveUpLostWrite(last, part);
}

absl::Status Commit::Take(ClaimObject claim, Part* part) {
  scope_.chooser.SeeClaim(claim);
  part->claim = std::move(claim);
  part->is_written = true;
  return absl::OkStatus();
}

// A write without an answer may happen yet, until the claim is in another version.
absl::Status Commit::GiveUpLostWrite(const absl::Status& last, Part* part) {
  const std::string message =
      fmt::format("the write of {} for pod {} to version {} got no response",
                  scope_.options.identity, scope_.pod.name, part->claim.version.resource_version);
  const auto fenced =
      scope_.calls.WriteClaim(part->claim, devices::ClaimUsePatch(part->claim.pods, message));
  is_unknown_ = !fenced.ok();
  if (fenced.ok()) scope_.chooser.SeeClaim(*fenced);
  return last;
}

std::string Commit::PatchOf(const Part& part) const {
  std::vector<PodReference> pods = part.claim.pods;
  if (!HasPod(part.claim, scope_.pod.uid)) pods.push_back({scope_.pod.name, scope_.pod.uid});
  if (!part.is_new) {
    // The message changes the version, so that a custodian that would free the claim looks again.
    const std::string message =
        fmt::format("reserved for pod {} until {}", scope_.pod.name, TimeText(scope_.deadline));
    return devices::ClaimUsePatch(pods, part.is_renewed ? message : part.claim.message);
  }
  devices::ClaimStatus status;
  status.state = devices::ClaimState::kAllocated;
  status.class_text = devices::ClassText(part.claim.claim);
  status.node = scope_.pod.node;
  status.observed_generation = part.claim.version.generation;
  status.allocations = part.grant.allocations;
  status.pods = std::move(pods);
  status.class_configs = part.grant.class_configs;
  status.claim_configs = part.grant.claim_configs;
  return devices::ClaimStatusPatch(status);
}

bool Commit::IsWritten(const Part& part, const ClaimObject& live) const {
  const std::vector<Allocation>& allocations =
      part.is_new ? part.grant.allocations : part.claim.claim.allocations;
  const bool is_renewed =
      !part.is_renewed || live.version.resource_version != part.claim.version.resource_version;
  return is_renewed && live.node == scope_.pod.node && HasPod(live, scope_.pod.uid) &&
         SameHolding(live.claim.allocations, allocations);
}

}  // namespace outrigger::device_writer
