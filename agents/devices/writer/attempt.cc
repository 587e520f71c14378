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

}  // namespace outrigger::device_writer
