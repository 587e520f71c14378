#include "devices/writer/custodian.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "devices/writer/custody/batch.h"
#include "devices/writer/custody/decision_table.h"
#include "devices/writer/custody/facts.h"
#include "devices/writer/custody/live_view.h"
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

// After these times no further claim is read or written: what was read grows old.
constexpr std::chrono::milliseconds kReading{600};  // that is, read for the first time of two
constexpr std::chrono::milliseconds kWriting{1'000};

bool IsOfHost(const Action& action) {
  return action.kind == ActionKind::kServeBoundPod || action.kind == ActionKind::kReportConflict;
}

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

Carrier::Carrier(CustomObjectAccess* api, CustodyHost* host, Chooser* chooser,
                 const IntentWatch* intents, WriterOptions options)
    : api_(*api),
      host_(*host),
      chooser_(*chooser),
      intents_(*intents),
      options_(std::move(options)) {}

Carried Carrier::Carry(std::span<const Action> actions, const CallLimits& limits) {
  if (actions.empty()) return {};
  if (actions[0].kind == ActionKind::kServeBoundPod) {
    return {.statuses = {host_.Serve(actions[0], limits)}, .with_fewer = {}};
  }
  if (actions[0].kind == ActionKind::kReportConflict) {
    host_.Report(actions[0]);
    return {.statuses = {absl::OkStatus()}, .with_fewer = {}};
  }
  const auto end = std::find_if(actions.begin(), actions.end(), IsOfHost);
  actions = actions.first(static_cast<size_t>(end - actions.begin()));
  const device_writer::ObjectCalls calls(&api_, limits, options_.now);
  device_writer::LiveView view(&calls, &host_, &chooser_);
  const auto within = [this](std::chrono::milliseconds time) {
    return [this, late = options_.now() + time] { return options_.now() >= late; };
  };
  const size_t count = view.Read(actions, within(kReading));
  return device_writer::Batch(actions.first(count), view, calls, options_, &host_, &chooser_)
      .Do(intents_, within(kWriting));
}

IntentWatch::Key IntentWatch::KeyOf(const PoolObject& pool, const PoolEntry& intent) {
  return {pool.version.uid, intent.claim_uid, intent.pod_uid, intent.writer,
          intent.deadline.value_or(WallTime())};
}

// No intent is without a pod.
IntentWatch::Key IntentWatch::KeyOf(const PoolObject& pool, const ClaimObject& claim) {
  return {pool.version.uid, claim.version.uid, {}, {}, WallTime()};
}

void IntentWatch::Keep(Key key, Clock::TimePoint end, Ends* ends) const {
  const auto known = ends_.find(key);
  ends->emplace(std::move(key), known == ends_.end() ? end : known->second);
}

void IntentWatch::Look(std::span<const PoolObject> pools, std::span<const ClaimObject> claims,
                       WallTime wall, Clock::TimePoint now) {
  Ends ends;
  absl::flat_hash_map<std::string_view, const PoolObject*> by_name;
  for (const PoolObject& pool : pools) {
    by_name[pool.pool.name] = &pool;
    for (const PoolEntry& entry : pool.entries) {
      if (entry.confirmed || !entry.deadline.has_value()) continue;
      const WallTime longest = wall + kLongestIntent;  // so that the difference is in range
      const auto left = std::min(*entry.deadline, longest) - std::min(wall, *entry.deadline);
      const auto time = std::max<Clock::Duration>(
          intent_time_, std::chrono::duration_cast<Clock::Duration>(left));
      Keep(KeyOf(pool, entry), now + time, &ends);
    }
  }
  for (const ClaimObject& claim : claims) {
    for (const std::string& name : device_writer::PoolsOf(HoldingOf(claim))) {
      const auto pool = by_name.find(name);
      if (pool == by_name.end()) continue;
      if (device_writer::FindEntry(*pool->second, claim.version.uid) != nullptr) continue;
      Keep(KeyOf(*pool->second, claim), now + intent_time_, &ends);
    }
  }
  ends_ = std::move(ends);
  now_ = now;
}

bool IntentWatch::IsOver(const PoolObject& pool, const PoolEntry& intent) const {
  if (!intent.deadline.has_value()) return true;
  const auto known = ends_.find(KeyOf(pool, intent));
  return known != ends_.end() && known->second <= now_;
}

bool IntentWatch::IsOver(const PoolObject& pool, const ClaimObject& claim) const {
  const auto known = ends_.find(KeyOf(pool, claim));
  return known != ends_.end() && known->second <= now_;
}

std::optional<Clock::TimePoint> IntentWatch::Next() const {
  std::optional<Clock::TimePoint> next;
  for (const auto& [key, end] : ends_) {
    if (end > now_ && (!next.has_value() || end < *next)) next = end;
  }
  return next;
}

}  // namespace outrigger::devices
