#include "devices/writer/release.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

namespace outrigger::device_writer {
namespace {

using devices::PodReference;

std::string PatchWithout(const ClaimObject& claim, const std::vector<PodReference>& left) {
  return left.empty() ? FreedPatch(claim) : devices::ClaimUsePatch(left, claim.message);
}

// Another writer may have allocated the claim for the same pod in the meantime, or kept it for
// that.
bool IsSameAllocation(const ClaimObject& written, const ClaimObject& live) {
  return !IsAllocated(live) || (live.node == written.node && live.message == written.message &&
                                SameHolding(live.claim.allocations, written.claim.allocations));
}

}  // namespace

std::string FreedPatch(const ClaimObject& claim) {
  devices::ClaimStatus freed;
  freed.state = devices::ClaimState::kPending;
  freed.class_text = claim.class_text;
  freed.observed_generation = claim.observed_generation;
  return devices::ClaimStatusPatch(freed);
}

absl::StatusOr<bool> Release::TakePods(const ClaimObject& claim, const IsGone& is_gone) const {
  ClaimObject at = claim;
  absl::Status last;
  for (int i = 0; i < options_.most_tries; ++i) {
    std::vector<PodReference> left = at.pods;
    left.erase(std::remove_if(left.begin(), left.end(), is_gone), left.end());
    if (!IsAllocated(at)) return true;
    if (left.size() == at.pods.size() && !left.empty()) return false;
    const auto written = calls_.WriteClaim(at, PatchWithout(at, left));
    if (written.ok()) {
      chooser_.SeeClaim(*written);
      return left.empty();
    }
    last = written.status();
    if (absl::IsNotFound(last)) return left.empty();
    if (!absl::IsAborted(last) && !MayHaveHappened(last)) return last;
    auto live = calls_.ReadClaim(NameOf(claim));
    if (absl::IsNotFound(live.status())) {
      Lose(NameOf(claim), &chooser_);
      return left.empty();
    }
    if (!live.ok()) return live.status();
    chooser_.SeeClaim(*live);
    if (!IsSameAllocation(claim, *live)) return false;
    at = *std::move(live);
  }
  return last;
}

absl::StatusOr<bool> Release::MayRemove(const PoolObject& pool, const Removal& removal) const {
  const PoolEntry* const entry = FindEntry(pool, removal.claim.uid);
  if (entry == nullptr) return false;
  if (!entry->confirmed && *entry != removal.expected) return false;
  const auto live = calls_.ReadClaim(removal.claim);
  // The devices of a claim that is gone may be in use by a pod that shared it: where the entry is
  // not what was looked at, the custodian decides.
  if (absl::IsNotFound(live.status())) return *entry == removal.expected;
  if (!live.ok()) return live.status();
  return Of(pool.pool.name, HoldingOf(*live)).empty();
}

absl::Status Release::RemoveEntries(std::string_view pool, const std::vector<Removal>& removals,
                                    const PoolObject* known) const {
  absl::Status last;
  for (int i = 0; i < options_.most_tries; ++i) {
    const bool is_known = i == 0 && known != nullptr;
    const auto before = is_known ? std::nullopt : chooser_.FindPool(pool);
    const auto at = is_known ? absl::StatusOr<PoolObject>(*known) : calls_.ReadPool(pool);
    if (absl::IsNotFound(at.status())) {
      if (before.has_value()) chooser_.LosePool(pool, before->version.uid);
      return absl::OkStatus();
    }
    if (!at.ok()) return at.status();
    std::vector<PoolEntry> entries = at->entries;
    for (const Removal& removal : removals) {
      const auto may = is_known ? absl::StatusOr<bool>(true) : MayRemove(*at, removal);
      if (!may.ok()) return may.status();
      if (*may) EraseEntry(removal.claim.uid, &entries);
    }
    if (entries.size() == at->entries.size()) return absl::OkStatus();
    const auto written = calls_.WritePool(*at, entries);
    if (written.ok()) {
      chooser_.SeePool(*written);
      return absl::OkStatus();
    }
    last = written.status();
    const bool may_repeat =
        absl::IsAborted(last) || absl::IsNotFound(last) || MayHaveHappened(last);
    if (!may_repeat) return last;
  }
  return last;
}

}  // namespace outrigger::device_writer
