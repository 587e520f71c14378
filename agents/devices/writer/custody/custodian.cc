#include "devices/writer/custodian.h"

#include <algorithm>
#include <utility>

#include "devices/writer/custody/decision_table.h"
#include "devices/writer/custody/facts.h"
#include "devices/writer/holdings.h"
#include "devices/writer/object_calls.h"
#include "devices/writer/room.h"
#include "fmt/format.h"

namespace outrigger::devices {
namespace {

using device_writer::Facts;
using device_writer::PodsAre;

Action AboutClaim(ActionKind kind, const ClaimObject& claim, std::string_view reason) {
  Action action;
  action.kind = kind;
  action.claim_namespace = claim.claim.namespace_;
  action.claim_name = claim.claim.name;
  action.claim_uid = claim.version.uid;
  action.privileged = claim.privileged;
  action.reason = reason;
  return action;
}

Action AboutEntry(ActionKind kind, const PoolObject& pool, const PoolEntry& entry,
                  std::string_view reason) {
  Action action;
  action.kind = kind;
  action.pool = pool.pool.name;
  action.claim_namespace = entry.claim_namespace;
  action.claim_name = entry.claim_name;
  action.claim_uid = entry.claim_uid;
  action.reason = reason;
  return action;
}

Action AboutPod(ActionKind kind, const PodFact& pod, std::string reason) {
  Action action;
  action.kind = kind;
  action.pod_namespace = pod.namespace_;
  action.pod_name = pod.name;
  action.pod_uid = pod.uid;
  action.reason = std::move(reason);
  return action;
}

/// Decides over one view.
class Decider {
 public:
  explicit Decider(const CustodyView& view) : facts_(view) {}

  std::vector<Action> Decide() {
    for (const PoolObject& pool : facts_.view().pools) DecidePool(pool);
    for (const ClaimObject& claim : facts_.view().claims) DecideClaim(claim);
    for (const PodFact& pod : facts_.view().pods) DecidePod(pod);
    const auto rank = [](const Action& action) { return RankOf(action.kind); };
    std::stable_sort(actions_.begin(), actions_.end(),
                     [&](const Action& a, const Action& b) { return rank(a) < rank(b); });
    return std::move(actions_);
  }

 private:
  // What gives devices back comes first.
  static int RankOf(ActionKind kind) {
    constexpr ActionKind kOrder[] = {ActionKind::kFreeClaim,    ActionKind::kFenceAndRemove,
                                     ActionKind::kRemoveEntry,  ActionKind::kAwaitPods,
                                     ActionKind::kDropPods,     ActionKind::kConfirm,
                                     ActionKind::kRestoreEntry, ActionKind::kServeBoundPod};
    return static_cast<int>(std::find(std::begin(kOrder), std::end(kOrder), kind) -
                            std::begin(kOrder));
  }

  void DecidePool(const PoolObject& pool) {
    const device_writer::Room room(pool.pool, pool.entries);
    absl::Status conflict;
    for (const PoolEntry& entry : pool.entries) {
      DecideEntry(pool, entry);
      if (conflict.ok()) conflict = room.Check(entry);
    }
    if (conflict.ok()) return;
    Action action;
    action.kind = ActionKind::kReportConflict;
    action.pool = pool.pool.name;
    action.reason = std::string(conflict.message());
    actions_.push_back(std::move(action));
  }

  void DecideEntry(const PoolObject& pool, const PoolEntry& entry) {
    const auto state = facts_.StateOf(pool, entry);
    if (state == device_writer::EntryIs::kIntent) being_written_.insert(entry.claim_uid);
    const auto claim = facts_.ClaimOf(pool, entry);
    const auto pods = facts_.PodsOf(entry);
    if (claim == device_writer::ClaimIs::kGone && pods != PodsAre::kEnded) {
      kept_.insert(fmt::format("{}/{}", entry.claim_namespace, entry.claim_name));
    }
    const auto decision = device_writer::DecideEntry(state, claim, pods);
    // Claims are freed as such.
    if (!decision.action.has_value()) return;
    if (*decision.action == ActionKind::kFreeClaim) {
      Free(*facts_.FindClaim(entry.claim_uid), decision.reason);
    } else {
      actions_.push_back(AboutEntry(*decision.action, pool, entry, decision.reason));
    }
  }

  void Free(const ClaimObject& claim, std::string_view reason) {
    if (!freed_.insert(claim.version.uid).second) return;
    actions_.push_back(AboutClaim(ActionKind::kFreeClaim, claim, reason));
  }

  void DecideClaim(const ClaimObject& claim) {
    if (!IsAllocated(claim)) return;
    if (facts_.PodsOf(claim) == PodsAre::kEnded) Free(claim, "no pod on its node uses it");
    if (freed_.contains(claim.version.uid)) return;
    const bool has_others =
        std::any_of(claim.pods.begin(), claim.pods.end(),
                    [&](const PodReference& pod) { return !facts_.IsUser(claim, pod.uid); });
    if (has_others) {
      actions_.push_back(AboutClaim(ActionKind::kDropPods, claim,
                                    "some of its pods are gone, have ended or are on other nodes"));
    }
    for (const std::string& name : device_writer::PoolsOf(HoldingOf(claim))) {
      const PoolObject* const pool = facts_.FindPool(name);
      if (pool == nullptr || device_writer::FindEntry(*pool, claim.version.uid) != nullptr)
        continue;
      DecideUncovered(*pool, claim);
    }
  }

  // The pool was made again. A pod that runs keeps its devices. To one that waits others may have
  // been given them since, which the pool does not say: it gets new ones, once no binding of it can
  // be under way.
  void DecideUncovered(const PoolObject& pool, const ClaimObject& claim) {
    if (facts_.PodsOf(claim) == PodsAre::kBound) {
      Action action = AboutClaim(ActionKind::kRestoreEntry, claim,
                                 "the pool has no entry for devices of the claim");
      action.pool = pool.pool.name;
      actions_.push_back(std::move(action));
    } else if (facts_.view().intents.IsOver(pool, claim)) {
      Free(claim, "the pool has no entry for its devices, and its pod is not bound");
    }
  }

  // A pod that was bound past the agent, or whose claims were freed in the meantime.
  void DecidePod(const PodFact& pod) {
    if (pod.finished || pod.node.empty()) return;
    if (!pod.claims_fault.empty()) {
      actions_.push_back(AboutPod(
          ActionKind::kReportConflict, pod,
          fmt::format("the pod is bound, its claims cannot be read: {}", pod.claims_fault)));
      return;
    }
    std::string lacks;
    const ClaimObject* lacked = nullptr;
    for (const PodClaim& wanted : pod.claims) {
      const std::string name = fmt::format("{}/{}", pod.namespace_, wanted.claim_name);
      const ClaimObject* const claim =
          facts_.FindClaim(wanted.privileged, pod.namespace_, wanted.claim_name);
      const bool is_allocated = claim != nullptr && IsAllocated(*claim);
      if (is_allocated && claim->node != pod.node) {
        actions_.push_back(
            AboutPod(ActionKind::kReportConflict, pod,
                     fmt::format("the pod is on node {}, its claim {} is allocated on node {}",
                                 pod.node, name, claim->node)));
        return;
      }
      if (is_allocated && device_writer::HasPod(*claim, pod.uid)) continue;
      if (!wanted.privileged && kept_.contains(name)) continue;
      if (claim != nullptr && being_written_.contains(claim->version.uid)) return;
      if (!lacks.empty()) continue;
      lacks = name;
      lacked = claim;
    }
    if (!lacks.empty()) Serve(pod, lacks, lacked);
  }

  // `claim` may be null: it is not there yet.
  void Serve(const PodFact& pod, const std::string& lacks, const ClaimObject* claim) {
    std::string reason = fmt::format("the pod is bound without devices of claim {}", lacks);
    Action action;
    if (claim != nullptr) action = AboutClaim(ActionKind::kServeBoundPod, *claim, reason);
    Action of_pod = AboutPod(ActionKind::kServeBoundPod, pod, std::move(reason));
    of_pod.claim_namespace = std::move(action.claim_namespace);
    of_pod.claim_name = std::move(action.claim_name);
    of_pod.claim_uid = std::move(action.claim_uid);
    of_pod.privileged = action.privileged;
    actions_.push_back(std::move(of_pod));
  }

  Facts facts_;
  std::vector<Action> actions_;
  std::set<std::string_view> freed_;          // claims, by UID
  std::set<std::string_view> being_written_;  // claims with an intent that is not over
  std::set<std::string> kept_;                // claims that are gone and whose devices are in use
};

}  // namespace

std::string_view NameOf(ActionKind kind) {
  switch (kind) {
    case ActionKind::kConfirm:
      return "Confirm";
    case ActionKind::kRemoveEntry:
      return "RemoveEntry";
    case ActionKind::kAwaitPods:
      return "AwaitPods";
    case ActionKind::kFenceAndRemove:
      return "FenceAndRemove";
    case ActionKind::kFreeClaim:
      return "FreeClaim";
    case ActionKind::kDropPods:
      return "DropPods";
    case ActionKind::kRestoreEntry:
      return "RestoreEntry";
    case ActionKind::kServeBoundPod:
      return "ServeBoundPod";
    case ActionKind::kReportConflict:
      return "ReportConflict";
  }
  return "Unknown";
}

std::vector<Action> Decide(const CustodyView& view) {
  return Decider(view).Decide();
}

}  // namespace outrigger::devices
