#include "control/custody.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <utility>

#include "fmt/format.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "reports/device_metrics.h"

namespace outrigger::devices::agent {
namespace {

constexpr std::chrono::milliseconds kPause{500};  // between two looks, at least
constexpr int kShare = 20;                        // a look takes no more than a part of the time
constexpr std::chrono::seconds kPatrol{30};       // a look though nothing has changed
constexpr std::chrono::seconds kActing{30};       // of a batch: a write of 4096 entries takes 8 s
constexpr std::chrono::seconds kServing{10};      // of a pod that is bound
constexpr std::chrono::seconds kTurn{2};
constexpr size_t kMostAtOnce = 4096;
// The longest time until what failed is tried again.
constexpr std::chrono::seconds kChanging{5};  // another writer is at work
constexpr std::chrono::seconds kNoRoom{30};   // until others give devices back; or no answer
constexpr std::chrono::minutes kRefused{5};   // until a person changes something

using Uids = std::set<std::string_view>;

bool IsOfHost(const Action& action) {
  return action.kind == ActionKind::kServeBoundPod || action.kind == ActionKind::kReportConflict;
}

// All the time was used up, perhaps by one of many: with fewer the others are done.
bool RanOut(const absl::Status& status) {
  return absl::IsResourceExhausted(status) || absl::IsDeadlineExceeded(status);
}

void TakeClaims(std::string_view annotation, PodFact* fact) {
  auto claims = ParsePodClaims(annotation, fact->name);
  if (claims.ok()) {
    fact->claims = *std::move(claims);
  } else {
    fact->claims_fault =
        fmt::format("annotation {}: {}", kClaimsAnnotation, std::string(claims.status().message()));
  }
}

PodFact FactOf(const Pod& pod) {
  PodFact fact{.namespace_ = pod.namespace_,
               .name = pod.name,
               .uid = pod.uid,
               .node = pod.node_name,
               .finished = pod.IsFinished()};
  TakeClaims(pod.annotations.Get(kClaimsAnnotation), &fact);
  return fact;
}

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
    TakeClaims(annotation, &fact);
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

// What was reported, once.
std::string KeyOf(const Action& action) {
  return fmt::format("{} {} {} {} {} {}", NameOf(action.kind), action.pool, action.claim_uid,
                     action.pod_uid, action.reason, action.claim_name);
}

// "FreeClaim default/c".
std::string ActionText(const Action& action) {
  std::string text(NameOf(action.kind));
  if (!action.pod_name.empty()) {
    text += fmt::format(" {}/{}", action.pod_namespace, action.pod_name);
  } else if (!action.claim_name.empty()) {
    text += fmt::format(" {}/{}", action.claim_namespace, action.claim_name);
  }
  if (!action.pool.empty()) text += fmt::format(" in pool {}", action.pool);
  return text;
}

// By which a failure is known again, whatever its reason says.
std::string RetryKeyOf(const Action& action) {
  return fmt::format("{} {} {} {}", NameOf(action.kind), action.pool, action.claim_uid,
                     action.pod_uid);
}

// A person must change something.
bool IsRefused(const absl::Status& failure) {
  return absl::IsInvalidArgument(failure) || absl::IsPermissionDenied(failure) ||
         absl::IsAlreadyExists(failure);
}

Clock::Duration LongestAfter(const absl::Status& failure) {
  if (absl::IsAborted(failure)) return kChanging;
  return IsRefused(failure) ? Clock::Duration(kRefused) : Clock::Duration(kNoRoom);
}

// The object whose owner must act.
ClusterEvent EventOf(const Action& action, std::string_view reason) {
  ClusterEvent event;
  event.warning = true;
  event.reason = reason;
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
      intents_(binding->writer_options().intent_time),
      carrier_(terms.cluster == nullptr
                   ? nullptr
                   : std::make_unique<Carrier>(terms.cluster, static_cast<CustodyHost*>(this),
                                               &binding->chooser(), &intents_,
                                               binding->writer_options())),
      retries_(terms.clock.now) {}

absl::StatusOr<PodFact> Custody::ReadPod(std::string_view namespace_, std::string_view name,
                                         const CallLimits& limits) {
  const auto pod = terms_.cluster->Read(namespace_, name, limits);
  if (!pod.ok()) return pod.status();
  return FactOf(*pod);
}

absl::StatusOr<std::vector<PodFact>> Custody::ReadPods(std::string_view namespace_,
                                                       const CallLimits& limits) {
  if (const auto known = pods_read_.find(namespace_); known != pods_read_.end()) {
    return known->second;
  }
  const auto pods = terms_.cluster->ReadAll(namespace_, limits);
  if (!pods.ok()) return pods.status();
  std::vector<PodFact> facts;
  for (const Pod& pod : *pods) {
    if (!pod.IsFinished()) facts.push_back(FactOf(pod));
  }
  return pods_read_[std::string(namespace_)] = std::move(facts);
}

absl::Status Custody::Serve(const Action& action, const CallLimits& limits) {
  auto pod = ReadPod(action.pod_namespace, action.pod_name, limits);
  if (absl::IsNotFound(pod.status())) return absl::OkStatus();
  if (!pod.ok()) return pod.status();
  if (pod->uid != action.pod_uid || pod->node.empty() || pod->finished) return absl::OkStatus();
  return binding_.Serve({.namespace_ = pod->namespace_,
                         .name = pod->name,
                         .uid = pod->uid,
                         .node = pod->node,
                         .is_bound = true},
                        limits);
}

void Custody::Report(const Action& action) {
  const bool is_new = reported_.insert_or_assign(KeyOf(action), round_).second;
  if (!is_new) return;
  Emit(action, "DevicesConflict");
}

void Custody::Emit(const Action& action, std::string_view reason) {
  ClusterEvent event = EventOf(action, reason);
  if (event.kind == kPoolKind.kind) {
    const auto pool = binding_.chooser().FindPool(action.pool);
    if (pool.has_value()) event.uid = pool->version.uid;
  }
  terms_.cluster->Record(std::move(event));
}

std::vector<Action> Custody::Find(const ClusterSnapshot& snapshot) {
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
  Uids named;
  for (const ClaimObject& claim : claim_objects) {
    for (const PodReference& pod : claim.pods) named.insert(pod.uid);
  }
  for (const PoolObject& pool : pool_objects) {
    for (const PoolEntry& entry : pool.entries) named.insert(entry.pod_uid);
  }
  const std::vector<PodFact> facts = FactsOf(snapshot, named);
  intents_.Look(pool_objects, claim_objects, terms_.clock.wall(), terms_.clock.now());
  return Decide(
      {.pools = pool_objects, .claims = claim_objects, .pods = facts, .intents = intents_});
}

void Custody::OnFailure(const Action& action, const absl::Status& failure) {
  const std::string why(failure.message());
  if (!retries_.Fail(RetryKeyOf(action), why, LongestAfter(failure))) return;
  terms_.log(fmt::format("{}: {} (not written: {})", ActionText(action), action.reason, why));
  const bool is_pods = action.kind == ActionKind::kServeBoundPod;
  const bool has_no_room = is_pods && absl::IsFailedPrecondition(failure);
  if (!has_no_room && !IsRefused(failure)) return;
  // A person must act, or other pods end.
  Action missing = action;
  missing.reason = is_pods ? fmt::format("the pod is bound without its devices: {}", why)
                           : fmt::format("{}: {}", action.reason, why);
  Emit(missing, has_no_room ? "DevicesConflict" : "DevicesRefused");
  if (has_no_room || !is_pods || action.claim_name.empty()) return;
  missing.reason = fmt::format("pod {} is bound without its devices: {}", action.pod_name, why);
  missing.pod_name.clear();
  Emit(missing, "DevicesRefused");
}

void Custody::OnEnd(const Action& action, const absl::Status& end) {
  if (!end.ok()) return OnFailure(action, end);
  retries_.Succeed(RetryKeyOf(action));
  if (action.kind != ActionKind::kReportConflict) {
    terms_.log(fmt::format("{}: {}", ActionText(action), action.reason));
  }
  const std::string_view cause = CauseOf(action.kind);
  if (!cause.empty()) terms_.metrics->Add(metric::kFreed, cause, 1);
}

// One of the host is carried out alone.
std::vector<Action> Custody::TakeBatch() {
  std::vector<Action> batch;
  while (!actions_.empty() && batch.size() < batch_) {
    const bool is_of_host = IsOfHost(actions_.front());
    if (is_of_host && !batch.empty()) break;
    if (retries_.IsDue(RetryKeyOf(actions_.front()))) batch.push_back(std::move(actions_.front()));
    actions_.pop_front();
    if (is_of_host) break;
  }
  return batch;
}

// Another writer of a pool is the likelier to be there first the longer a batch takes.
void Custody::CarryBatch(std::vector<Action> batch, const std::stop_token& stop) {
  if (!recovery_.Ended().ok()) {
    recovery_.WaitsFor(fmt::format("actions: {} of {} tried, now {}",
                                   found_ - actions_.size() - batch.size(), found_,
                                   ActionText(batch.front())));
  }
  const bool is_pod = batch.front().kind == ActionKind::kServeBoundPod;
  Carried carried = carrier_->Carry(batch, {.timeout = is_pod ? kServing : kActing, .stop = stop});
  for (size_t i = 0; batch.size() > 1 && i < carried.statuses.size(); ++i) {
    if (RanOut(carried.statuses[i])) carried.with_fewer.insert(i);
  }
  for (size_t i = batch.size(); i-- > 0;) {
    const bool is_left = i >= carried.statuses.size() || carried.with_fewer.contains(i);
    if (is_left) actions_.push_front(std::move(batch[i]));
  }
  for (size_t i = 0; i < carried.statuses.size(); ++i) {
    if (!carried.with_fewer.contains(i)) OnEnd(batch[i], carried.statuses[i]);
  }
  batch_ = carried.with_fewer.empty() ? std::min(2 * batch_, kMostAtOnce)
                                      : std::max<size_t>(carried.statuses.size() / 4, 1);
}

void Custody::Work(const std::stop_token& stop) {
  pods_read_.clear();
  const Clock::TimePoint until = terms_.clock.now() + kTurn;
  while (!actions_.empty() && terms_.clock.now() < until && !stop.stop_requested()) {
    std::vector<Action> batch = TakeBatch();
    if (!batch.empty()) CarryBatch(std::move(batch), stop);
  }
}

Clock::Duration Custody::Due() const {
  if (!looked_.has_value()) return {};
  const Clock::Duration since = terms_.clock.now() - *looked_;
  Clock::Duration due = (is_dirty_ ? pause_ : Clock::Duration(kPatrol)) - since;
  for (const auto next : {intents_.Next(), retries_.Next()}) {
    if (next.has_value()) due = std::min(due, std::max(*next - terms_.clock.now(), pause_ - since));
  }
  return due;
}

bool Custody::Look() {
  const auto view = terms_.cluster->Take();
  if (!view.ok()) {
    recovery_.WaitsFor(std::string(view.status().message()));
    return false;
  }
  looked_ = terms_.clock.now();
  is_dirty_ = false;
  ++round_;
  std::vector<Action> found = Find(*view->snapshot);
  found_ = found.size();
  actions_.assign(std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  pause_ = std::max<Clock::Duration>(kPause, kShare * (terms_.clock.now() - *looked_));
  retries_.BeginRound();
  return true;
}

Clock::Duration Custody::Round(const std::stop_token& stop) {
  if (actions_.empty()) {
    if (const Clock::Duration due = Due(); due > Clock::Duration()) return due;
    if (!Look()) return kPause;
  }
  Work(stop);
  if (stop.stop_requested()) return kPause;
  if (!actions_.empty()) return std::chrono::milliseconds(1);
  retries_.EndRound();
  std::erase_if(reported_, [&](const auto& entry) { return entry.second != round_; });
  recovery_.End();
  return std::max<Clock::Duration>(Due(), std::chrono::milliseconds(1));
}

}  // namespace outrigger::devices::agent
