#include <string>
#include <utility>
#include <vector>

#include "device_writer/attempt.h"
#include "fmt/format.h"

// Step 2 of an attempt: the claims.

namespace outrigger::device_writer {

using devices::PodReference;

absl::Status Attempt::WriteClaims() {
  for (Part& part : parts_) {
    absl::Status status = WriteClaim(&part);
    if (!status.ok()) return status;
  }
  return CheckTime();
}

absl::Status Attempt::CheckTime() const {
  if (options_.wall() < deadline_) return absl::OkStatus();
  return absl::DeadlineExceededError(
      fmt::format("the intents of pod {}/{} expired at {} before its devices were written",
                  pod_.namespace_, pod_.name, TimeText(deadline_)));
}

absl::Status Attempt::WriteClaim(Part* part) {
  const ClaimName name = NameOf(part->claim);
  const std::string patch = ClaimPatch(*part);
  absl::Status last = absl::OkStatus();
  for (int i = 0; i < options_.most_tries; ++i) {
    absl::Status status = CheckTime();
    if (!status.ok()) return last.ok() ? status : GiveUpLostWrite(status, part);
    auto written = calls_.WriteClaim(part->claim, patch);
    if (written.ok()) return TakeClaim(*std::move(written), part);
    const bool may_be_there =
        absl::IsAborted(written.status()) || MayHaveHappened(written.status());
    if (!may_be_there) {
      return last.ok() ? written.status() : GiveUpLostWrite(written.status(), part);
    }
    last = written.status();
    auto live = calls_.ReadClaim(name);
    is_unknown_ = !live.ok() && !absl::IsNotFound(live.status());
    if (absl::IsNotFound(live.status())) Lose(name, &chooser_);
    if (!live.ok()) return live.status();
    if (IsWritten(*part, *live)) return TakeClaim(*std::move(live), part);
    chooser_.SeeClaim(*live);
    if (live->version.resource_version != part->claim.version.resource_version) {
      return ClaimChanged(name);
    }
  }
  return GiveUpLostWrite(last, part);
}

absl::Status Attempt::TakeClaim(ClaimObject claim, Part* part) {
  chooser_.SeeClaim(claim);
  part->claim = std::move(claim);
  part->is_written = true;
  return absl::OkStatus();
}

// A write without an answer may happen yet, until the claim is in another version.
absl::Status Attempt::GiveUpLostWrite(const absl::Status& last, Part* part) {
  const std::string message =
      fmt::format("what {} wrote for pod {} in version {} got no answer", options_.identity,
                  pod_.name, part->claim.version.resource_version);
  const auto fenced =
      calls_.WriteClaim(part->claim, devices::ClaimUsePatch(part->claim.pods, message));
  is_unknown_ = !fenced.ok();
  if (fenced.ok()) chooser_.SeeClaim(*fenced);
  return last;
}

std::string Attempt::ClaimPatch(const Part& part) const {
  std::vector<PodReference> pods = part.claim.pods;
  if (!HasPod(part.claim, pod_.uid)) pods.push_back({pod_.name, pod_.uid});
  if (!part.is_new) {
    // The message changes the version, so that a custodian that would free the claim looks again.
    const std::string message =
        fmt::format("kept for pod {} until {}", pod_.name, TimeText(deadline_));
    return devices::ClaimUsePatch(pods, part.is_renewed ? message : part.claim.message);
  }
  devices::ClaimStatus status;
  status.state = devices::ClaimState::kAllocated;
  status.class_text = devices::ClassText(part.claim.claim);
  status.node = pod_.node;
  status.observed_generation = part.claim.version.generation;
  status.allocations = part.grant.allocations;
  status.pods = std::move(pods);
  status.class_configs = part.grant.class_configs;
  status.claim_configs = part.grant.claim_configs;
  return devices::ClaimStatusPatch(status);
}

bool Attempt::IsWritten(const Part& part, const ClaimObject& live) const {
  const std::vector<Allocation>& allocations =
      part.is_new ? part.grant.allocations : part.claim.claim.allocations;
  const bool is_renewed =
      !part.is_renewed || live.version.resource_version != part.claim.version.resource_version;
  return is_renewed && live.node == pod_.node && HasPod(live, pod_.uid) &&
         SameHolding(live.claim.allocations, allocations);
}

absl::Status Attempt::ClaimChanged(const ClaimName& claim) {
  changed_claim_ = TextOf(claim);
  return absl::AbortedError(fmt::format("{} changed while devices were written", changed_claim_));
}

}  // namespace outrigger::device_writer
