#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device_writer/custody/live_view.h"
#include "device_writer/holdings.h"
#include "device_writer/object_calls.h"
#include "device_writer/release.h"
#include "device_writer/room.h"
#include "fmt/format.h"
#include "outrigger/devices/custodian.h"

namespace outrigger::devices {
namespace {

using device_writer::FindEntry;
using device_writer::LiveView;
using device_writer::ObjectCalls;

/// One action on what was read for it.
class Deed {
 public:
  Deed(const Action& action, const LiveView& view, const ObjectCalls& calls,
       const WriterOptions& options, CustodyHost* host, Chooser* chooser)
      : action_(action),
        view_(view),
        calls_(calls),
        options_(options),
        host_(*host),
        chooser_(*chooser) {}

  absl::Status Do() {
    switch (action_.kind) {
      case ActionKind::kConfirm:
        return Confirm();
      case ActionKind::kRemoveEntry:
        return Remove();
      case ActionKind::kFenceAndRemove:
        return FenceAndRemove();
      case ActionKind::kFreeClaim:
        return Free();
      case ActionKind::kDropPods:
        return DropPods();
      case ActionKind::kRestoreEntry:
        return Restore();
      case ActionKind::kServeBoundPod:
      case ActionKind::kReportConflict:
        break;
    }
    return absl::OkStatus();
  }

 private:
  const PoolObject& pool() const { return *view_.FindPool(action_.pool); }
  const ClaimObject& claim() const { return *view_.claim(); }

  absl::Status WritePool(const std::vector<PoolEntry>& entries) {
    const auto written = calls_.WritePool(pool(), entries);
    if (written.ok()) chooser_.SeePool(*written);
    return written.status();
  }

  absl::Status WriteClaim(std::string_view patch) {
    const auto written = calls_.WriteClaim(claim(), patch);
    if (written.ok()) chooser_.SeeClaim(*written);
    return written.status();
  }

  absl::Status Confirm() {
    std::vector<PoolEntry> entries = pool().entries;
    PoolEntry entry = *FindEntry(pool(), action_.claim_uid);
    entry.confirmed = true;
    entry.deadline.reset();
    entry.writer.clear();
    device_writer::PutEntry(std::move(entry), &entries);
    return WritePool(entries);
  }

  absl::Status Remove() {
    std::vector<PoolEntry> entries = pool().entries;
    device_writer::EraseEntry(action_.claim_uid, &entries);
    return WritePool(entries);
  }

  absl::Status FenceAndRemove() {
    const PoolEntry& intent = *FindEntry(pool(), action_.claim_uid);
    const std::string message = device_writer::FenceMessage(intent, claim());
    absl::Status status = WriteClaim(ClaimUsePatch(claim().pods, message));
    return status.ok() ? Remove() : status;
  }

  absl::Status Free() {
    absl::Status status = WriteClaim(device_writer::FreedPatch(claim()));
    if (!status.ok()) return status;
    const device_writer::Release release(&calls_, &options_, &chooser_);
    for (const PoolObject& pool : view_.pools) {
      const PoolEntry* const entry = FindEntry(pool, action_.claim_uid);
      if (entry == nullptr) continue;
      status.Update(
          release.RemoveEntries(pool.pool.name, {{device_writer::NameOf(claim()), *entry}}, &pool));
    }
    return status;
  }

  absl::Status DropPods() {
    std::vector<PodReference> left;
    for (const PodReference& pod : claim().pods) {
      const PodFact* const fact = FindAlive(pod.uid);
      if (fact == nullptr) continue;
      if (fact->node.empty() || fact->node == claim().node) left.push_back(pod);
    }
    return WriteClaim(ClaimUsePatch(left, claim().message));
  }

  absl::Status Restore() {
    PoolEntry entry = EntryOfClaim();
    std::vector<PoolEntry> entries = pool().entries;
    device_writer::PutEntry(entry, &entries);
    const device_writer::Room room(pool().pool, entries);
    const absl::Status fits = room.Check(*FindEntryIn(entries));
    if (fits.ok()) return WritePool(entries);
    Action conflict = action_;
    conflict.kind = ActionKind::kReportConflict;
    conflict.reason =
        fmt::format("claim {}/{} has devices that are not free: {}", action_.claim_namespace,
                    action_.claim_name, std::string(fits.message()));
    host_.Report(conflict);
    return absl::OkStatus();
  }

  const PoolEntry* FindEntryIn(const std::vector<PoolEntry>& entries) const {
    return &*std::find_if(entries.begin(), entries.end(), [this](const PoolEntry& entry) {
      return entry.claim_uid == action_.claim_uid;
    });
  }

  // Confirmed if a pod is bound, else an intent of this process.
  PoolEntry EntryOfClaim() const {
    PoolEntry entry;
    entry.claim_namespace = action_.claim_namespace;
    entry.claim_name = action_.claim_name;
    entry.claim_uid = action_.claim_uid;
    entry.holding =
        device_writer::Normal(device_writer::Of(action_.pool, claim().claim.allocations));
    for (const PodReference& pod : claim().pods) {
      const PodFact* const fact = FindAlive(pod.uid);
      if (fact == nullptr) continue;
      entry.pod_name = pod.name;
      entry.pod_uid = pod.uid;
      entry.confirmed = !fact->node.empty();
      if (entry.confirmed) break;
    }
    if (!entry.confirmed) {
      entry.writer = options_.identity;
      entry.deadline =
          std::chrono::floor<std::chrono::seconds>(options_.wall()) + options_.intent_time;
    }
    return entry;
  }

  const PodFact* FindAlive(std::string_view uid) const {
    for (const PodFact& pod : view_.pods) {
      if (pod.uid == uid && !pod.finished) return &pod;
    }
    return nullptr;
  }

  const Action& action_;
  const LiveView& view_;
  const ObjectCalls& calls_;
  const WriterOptions& options_;
  CustodyHost& host_;
  Chooser& chooser_;
};

bool IsAboutTheSame(const Action& a, const Action& b) {
  const bool same_pool = a.kind == ActionKind::kFreeClaim || a.pool == b.pool;
  return a.kind == b.kind && same_pool && a.claim_uid == b.claim_uid;
}

}  // namespace

Carrier::Carrier(CustomObjectAccess* api, CustodyHost* host, Chooser* chooser,
                 WriterOptions options)
    : api_(*api), host_(*host), chooser_(*chooser), options_(std::move(options)) {}

absl::Status Carrier::Carry(const Action& action, const CallLimits& limits) {
  if (action.kind == ActionKind::kServeBoundPod) return host_.Serve(action, limits);
  if (action.kind == ActionKind::kReportConflict) {
    host_.Report(action);
    return absl::OkStatus();
  }
  const ObjectCalls calls(&api_, limits);
  const auto view = device_writer::ReadLiveView(action, calls, &host_, &chooser_);
  if (!view.ok()) return view.status();
  CustodyView now{.pools = view->pools,
                  .claims = view->claims,
                  .pods = view->pods,
                  .admin_classes = host_.AdminClasses(),
                  .now = options_.wall()};
  const std::vector<Action> actions = Decide(now);
  const bool is_needed = std::any_of(actions.begin(), actions.end(), [&](const Action& other) {
    return IsAboutTheSame(action, other);
  });
  if (!is_needed) return absl::OkStatus();
  return Deed(action, *view, calls, options_, &host_, &chooser_).Do();
}

}  // namespace outrigger::devices
