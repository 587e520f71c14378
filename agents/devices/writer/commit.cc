#include "devices/writer/commit.h"

#include <utility>

#include "fmt/format.h"

namespace outrigger::device_writer {

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
