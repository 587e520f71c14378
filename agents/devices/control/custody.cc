#include "control/custody.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "fmt/format.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "reports/device_metrics.h"

namespace outrigger::devices::agent {
namespace {

constexpr std::chrono::milliseconds kPause{500};  // between two looks, at least
constexpr int kShare = 20;                        // a look takes no more than a part of the time
constexpr std::chrono::seconds kPatrol{30};       // a look though nothing has changed
constexpr std::chrono::seconds kActing{10};

using Uids = std::set<std::string_view>;

// Of pods that name claims, and of those that claims and pools name: an annotation may be removed.
std::vector<PodFact> FactsOf(const ClusterSnapshot& snapshot, const Uids& named) {
  std::vector<PodFact> facts;
  snapshot.ForEachPod([&](const PodView& pod) {
    const std::string_view annotation = pod.Annotation(kClaimsAnnotation);
    if (annotation.empty() && !named.contains(pod.Uid())) return;
    PodFact fact;
    fact.namespace_ = pod.Namespace();
    fact.name = pod.Name();
    fact.uid = pod.Uid();
    if (!pod.IsAssumed()) fact.node = pod.NodeName();
    fact.finished = pod.IsFinished();
    auto claims = ParsePodClaims(annotation, fact.name);
    if (claims.ok()) fact.claims = *std::move(claims);
    facts.push_back(std::move(fact));
  });
  return facts;
}

std::string_view CauseOf(ActionKind kind) {
  switch (kind) {
    case ActionKind::kFreeClaim:
      return "pods ended";
    case ActionKind::kFenceAndRemove:
      return "intent expired";
    case ActionKind::kRemoveEntry:
      return "claim gone";
    default:
      return {};
  }
}

std::string KeyOf(const Action& action) {
  return fmt::format("{} {} {} {} {} {}", NameOf(action.kind), action.pool, action.claim_uid,
                     action.pod_uid, action.reason, action.claim_name);
}

// "FreeClaim default/c: its pods are gone or have ended".
std::string LineOf(const Action& action, const absl::Status& carried) {
  std::string line(NameOf(action.kind));
  if (!action.claim_name.empty()) {
    line += fmt::format(" {}/{}", action.claim_namespace, action.claim_name);
  }
  if (!action.pod_name.empty())
    line += fmt::format(" {}/{}", action.pod_namespace, action.pod_name);
  if (!action.pool.empty()) line += fmt::format(" in pool {}", action.pool);
  line += fmt::format(": {}", action.reason);
  if (!carried.ok()) line += fmt::format(" (not done: {})", std::string(carried.message()));
  return line;
}

// The object whose owner must act.
ClusterEvent EventOf(const Action& action) {
  ClusterEvent event;
  event.warning = true;
  event.reason = "DevicesConflict";
  event.action = "Allocating";
  event.note = action.reason;
  if (!action.pod_name.empty()) {
    event.namespace_ = action.pod_namespace;
    event.name = action.pod_name;
    event.uid = action.pod_uid;
    return event;
  }
  const bool of_claim = !action.claim_name.empty();
  const CustomKind& kind =
      !of_claim ? kPoolKind : (action.privileged ? kPrivilegedClaimKind : kClaimKind);
  event.api_version = fmt::format("{}/{}", kind.group, kind.version);
  event.kind = kind.kind;
  event.namespace_ = action.claim_namespace;
  event.name = of_claim ? action.claim_name : action.pool;
  event.uid = action.claim_uid;
  return event;
}

}  // namespace

Custody::Custody(const Terms& terms, DeviceStore* store, Binding* binding)
    : terms_(terms),
      store_(*store),
      binding_(*binding),
      carrier_(terms.cluster == nullptr
                   ? nullptr
                   : std::make_unique<Carrier>(terms.cluster, static_cast<CustodyHost*>(this),
                                               &binding->chooser(), binding->writer_options())) {}

absl::StatusOr<PodFact> Custody::ReadPod(std::string_view namespace_, std::string_view name,
                                         const CallLimits& limits) {
  const auto pod = terms_.cluster->Read(namespace_, name, limits);
  if (!pod.ok()) return pod.status();
  PodFact fact{.namespace_ = pod->namespace_,
               .name = pod->name,
               .uid = pod->uid,
               .node = pod->node_name,
               .finished = pod->IsFinished()};
  auto claims = ParsePodClaims(pod->annotations.Get(kClaimsAnnotation), pod->name);
  if (claims.ok()) fact.claims = *std::move(claims);
  return fact;
}

absl::Status Custody::Serve(const Action& action, const CallLimits& limits) {
  auto pod = ReadPod(action.pod_namespace, action.pod_name, limits);
  if (!pod.ok()) return pod.status();
  if (pod->uid != action.pod_uid || pod->node.empty() || pod->finished) return absl::OkStatus();
  return binding_.Serve({pod->namespace_, pod->name, pod->uid, pod->node}, limits);
}

void Custody::Report(const Action& action) {
  const bool is_new = reported_.insert_or_assign(KeyOf(action), round_).second;
  if (!is_new) return;
  ClusterEvent event = EventOf(action);
  if (event.kind == kPoolKind.kind) {
    const auto pool = binding_.chooser().FindPool(action.pool);
    if (pool.has_value()) event.uid = pool->version.uid;
  }
  terms_.cluster->Record(std::move(event));
}

std::set<std::string, std::less<>> Custody::AdminClasses() {
  std::set<std::string, std::less<>> names;
  store_.Look([&](const Contents& contents) {
    contents.classes().ForEach([&](const std::string& name, const auto& of) {
      if (of->of.admin_access) names.insert(name);
    });
  });
  return names;
}

std::vector<Action> Custody::Find(const ClusterSnapshot& snapshot,
                                  std::optional<WallTime>* deadline) {
  std::vector<std::shared_ptr<const PoolObject>> pools;
  std::vector<std::shared_ptr<const ClaimObject>> claims;
  store_.Look([&](const Contents& contents) {
    contents.pools().ForEach([&](const auto&, const auto& pool) { pools.push_back(pool); });
    for (const bool privileged : {false, true}) {
      contents.claims(privileged).ForEach([&](const auto&, const auto& claim) {
        claims.push_back(claim);
      });
    }
  });
  std::vector<PoolObject> pool_objects;  // copied without the lock
  pool_objects.reserve(pools.size());
  for (const auto& pool : pools) pool_objects.push_back(*pool);
  std::vector<ClaimObject> claim_objects;
  claim_objects.reserve(claims.size());
  for (const auto& claim : claims) claim_objects.push_back(*claim);
  CustodyView view;
  view.admin_classes = AdminClasses();
  view.now = terms_.clock.wall();
  Uids named;
  for (const ClaimObject& claim : claim_objects) {
    for (const PodReference& pod : claim.pods) named.insert(pod.uid);
  }
  for (const PoolObject& pool : pool_objects) {
    for (const PoolEntry& entry : pool.entries) named.insert(entry.pod_uid);
  }
  const std::vector<PodFact> facts = FactsOf(snapshot, named);
  view.pools = pool_objects;
  view.claims = claim_objects;
  view.pods = facts;
  *deadline = NextDeadline(view.pools, view.now);
  return Decide(view);
}

// Whether nothing is left to be done of it.
bool Custody::Carry(const Action& action, const std::stop_token& stop) {
  const absl::Status carried = carrier_->Carry(action, {.timeout = kActing, .stop = stop});
  const std::string line = LineOf(action, carried);
  const bool is_news = carried.ok() || reported_.insert_or_assign(line, round_).second;
  if (is_news && action.kind != ActionKind::kReportConflict) terms_.log(line);
  const std::string_view cause = CauseOf(action.kind);
  if (carried.ok() && !cause.empty()) terms_.metrics->Add(metric::kFreed, cause, 1);
  if (action.kind != ActionKind::kServeBoundPod || carried.ok()) return carried.ok();
  if (!absl::IsFailedPrecondition(carried)) return false;
  // There is no room: a person must act, or other pods end.
  Action missing = action;
  missing.reason =
      fmt::format("the pod is bound without its devices: {}", std::string(carried.message()));
  Report(missing);
  return true;
}

Clock::Duration Custody::Due() const {
  if (!looked_.has_value()) return {};
  const Clock::Duration since = terms_.clock.now() - *looked_;
  Clock::Duration due = (is_dirty_ ? pause_ : Clock::Duration(kPatrol)) - since;
  if (deadline_.has_value()) {
    const Clock::Duration left =
        std::chrono::duration_cast<Clock::Duration>(*deadline_ - terms_.clock.wall());
    due = std::min(due, std::max(left, pause_ - since));
  }
  return due;
}

Clock::Duration Custody::Round(const std::stop_token& stop) {
  if (const Clock::Duration due = Due(); due > Clock::Duration()) return due;
  const auto view = terms_.cluster->Take();
  if (!view.ok()) return kPause;
  looked_ = terms_.clock.now();
  is_dirty_ = false;
  ++round_;
  bool is_done = true;
  const std::vector<Action> actions = Find(*view->snapshot, &deadline_);
  pause_ = std::max<Clock::Duration>(kPause, kShare * (terms_.clock.now() - *looked_));
  for (const Action& action : actions) {
    if (stop.stop_requested()) return kPause;
    is_done = Carry(action, stop) && is_done;
  }
  std::erase_if(reported_, [&](const auto& entry) { return entry.second != round_; });
  if (is_done) has_recovered_ = true;
  if (!is_done) is_dirty_ = true;
  return std::max<Clock::Duration>(Due(), std::chrono::milliseconds(1));
}

}  // namespace outrigger::devices::agent
