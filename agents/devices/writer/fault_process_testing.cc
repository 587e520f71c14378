#include "fault_process_testing.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "devices/writer/holdings.h"
#include "fmt/format.h"

namespace outrigger::devices::testing {
namespace {

const absl::Status& Dead() {
  static const absl::Status dead = absl::CancelledError("the process is dead");
  return dead;
}

}  // namespace

absl::StatusOr<std::string> FaultyAccess::ReadCustomObject(const CustomKind& kind,
                                                           const CustomObjectName& object,
                                                           const CallLimits& limits) {
  if (is_dead_) return Dead();
  if (Happens(faults_.unreadable)) return absl::UnavailableError("no answer");
  return world_.api.ReadCustomObject(kind, object, limits);
}

absl::StatusOr<std::string> FaultyAccess::CreateCustomObject(const CustomKind& kind,
                                                             std::string_view namespace_,
                                                             std::string_view json,
                                                             const CallLimits& limits) {
  if (is_dead_) return Dead();
  return world_.api.CreateCustomObject(kind, namespace_, json, limits);
}

absl::StatusOr<std::string> FaultyAccess::PatchCustomStatus(const CustomKind& kind,
                                                            const CustomObjectName& object,
                                                            std::string_view status_patch,
                                                            const CallLimits& limits) {
  if (is_dead_) return Dead();
  if (Happens(faults_.interleave)) interleave_();
  if (Happens(faults_.kill_before)) {
    is_dead_ = true;
    return Dead();
  }
  if (Happens(faults_.conflict)) return absl::AbortedError("409");
  if (Happens(faults_.busy)) return absl::ResourceExhaustedError("429");
  if (Happens(faults_.broken_before)) return absl::InternalError("500");
  if (Happens(faults_.late)) {
    late_.push_back([&api = world_.api, kind, namespace_ = std::string(object.namespace_),
                     name = std::string(object.name), uid = std::string(object.uid),
                     version = std::string(object.resource_version),
                     patch = std::string(status_patch)] {
      (void)api.PatchCustomStatus(
          kind, {.namespace_ = namespace_, .name = name, .uid = uid, .resource_version = version},
          patch, {});
    });
    return absl::DeadlineExceededError("no answer in time");
  }
  auto answer = world_.api.PatchCustomStatus(kind, object, status_patch, limits);
  if (Happens(faults_.kill_after)) {
    is_dead_ = true;
    return Dead();
  }
  if (Happens(faults_.broken_after)) return absl::InternalError("500");
  if (Happens(faults_.lost)) return absl::UnavailableError("no answer");
  return answer;
}

Process::Process(std::string identity, World* world, Random* random, const Faults* faults,
                 LateWrites* late, std::function<void()> interleave, std::chrono::seconds ahead)
    : identity_(std::move(identity)),
      world_(*world),
      random_(*random),
      faults_(*faults),
      late_(*late),
      interleave_(interleave),
      ahead_(ahead),
      access_(world, random, faults, late, std::move(interleave)),
      chooser_(world, random),
      writer_(&access_, Options()),
      intents_(Options().intent_time) {}

WriterOptions Process::Options() const {
  WriterOptions options;
  options.identity = identity_;
  options.most_tries = 3;
  options.wall = [this] { return Now(); };
  return options;
}

void Process::BindPod(const std::string& name, const std::string& node) {
  const auto pod = world_.pods.find(name);
  if (is_dead() || pod == world_.pods.end()) return;
  auto claims = chooser_.ClaimsOf(pod->second);
  if (!claims.has_value()) return;
  const PodOnNode target{"ns", name, pod->second.uid, node, pod->second.node == node};
  const auto written = writer_.Write(target, *std::move(claims), &chooser_, {});
  if (!written.ok() || is_dead()) return;
  ExpectEntries(*written);
  const BindFailure failure = AskForBinding(*written);
  if (failure.why.ok()) {
    (void)writer_.Confirm(*written, &chooser_, {});
  } else {
    Settle(*written, failure);
  }
}

BindFailure Process::AskForBinding(const Written& written) {
  const PodOnNode& pod = written.pod;
  if (Happens(faults_.abandoned)) return {absl::CancelledError("the caller disconnected"), false};
  const WallTime began = world_.now;
  if (Happens(faults_.interleave)) interleave_();
  const bool is_too_late = world_.now - began > std::chrono::seconds(10);
  if (is_too_late || (faults_.late > 0 && OneIn(random_, 6))) {
    ArriveLate(written);
    return {absl::DeadlineExceededError("no answer in time"), true};
  }
  if (faults_.conflict > 0 && OneIn(random_, 6)) return {absl::PermissionDeniedError("403"), false};
  const absl::Status bound = world_.Bind(pod.name, pod.node);
  if (!bound.ok()) return {bound, false};
  ExpectDevices(written);
  world_.Serve(pod.uid);
  if (faults_.lost > 0 && OneIn(random_, 6)) return {absl::UnavailableError("no answer"), true};
  // The answer was lost, and another try was refused.
  if (faults_.lost > 0 && OneIn(random_, 6)) return {absl::ResourceExhaustedError("429"), false};
  return {};
}

void Process::ArriveLate(const Written& written) {
  late_.push_back([this, written] {
    const PodOnNode& pod = written.pod;
    if (!world_.Bind(pod.name, pod.node).ok()) return;
    // Until the intents end nobody frees what they are for.
    if (Now() >= written.deadline) return;
    ExpectDevices(written);
    world_.Serve(pod.uid);
  });
}

absl::StatusOr<std::string> Process::NodeOf(const PodOnNode& pod) {
  if (Happens(faults_.unreadable)) return absl::UnavailableError("no answer");
  const auto found = world_.pods.find(pod.name);
  if (found == world_.pods.end()) return absl::NotFoundError("no such pod");
  return found->second.node;
}

void Process::Settle(const Written& written, const BindFailure& failure) {
  switch (EndOf(written.pod, NodeOf(written.pod), failure.may_be_bound)) {
    case BindingEnd::kBound:
      (void)writer_.Confirm(written, &chooser_, {});
      break;
    case BindingEnd::kNotBound:
      (void)writer_.GiveBack(written, &chooser_, {});
      break;
    case BindingEnd::kOpen:
      break;
  }
}

void Process::ExpectDevices(const Written& written) {
  for (const ClaimObject& claim : written.claims) {
    const ClaimObject live = world_.Claim(claim.claim.name);
    if (live.version.uid != claim.version.uid) continue;  // deleted by its user
    if (device_writer::HasPod(live, written.pod.uid) && live.node == written.pod.node) continue;
    world_.broken_promises.push_back(fmt::format("pod {} was bound in time and claim {} was freed",
                                                 written.pod.name, claim.claim.name));
  }
}

void Process::ExpectEntries(const Written& written) {
  for (const PoolObject& pool : written.pools) {
    const PoolObject live = world_.Pool(pool.pool.name);
    const bool is_same = live.version.uid == pool.version.uid && live.pool == pool.pool &&
                         live.entries == pool.entries;
    if (is_same) continue;
    world_.broken_promises.push_back(
        fmt::format("pool {} is not what it was when pod {} got its "
                    "devices",
                    pool.pool.name, written.pod.name));
  }
}

bool Process::Keep() {
  const std::vector<PoolObject> pools = chooser_.Pools();
  const std::vector<ClaimObject> claims = chooser_.Claims();
  const std::vector<PodFact> pods = world_.Pods();
  intents_.Look(pools, claims, Now(), Steady(world_.now));
  const std::vector<Action> actions =
      Decide({.pools = pools, .claims = claims, .pods = pods, .intents = intents_});
  Carrier carrier(&access_, this, &chooser_, &intents_, Options());
  std::span<const Action> left = actions;
  while (!left.empty() && !is_dead()) {
    // Of thousands never a few alone, for which the whole pool would be written.
    const int64_t bound = std::ssize(left) < 64 && OneIn(random_, 2) ? 4 : std::ssize(left);
    const auto count = static_cast<size_t>(std::min(1 + Below(random_, bound), std::ssize(left)));
    left = left.subspan(carrier.Carry(left.first(count), {}).statuses.size());
  }
  return !actions.empty();
}

absl::StatusOr<PodFact> Process::ReadPod(std::string_view, std::string_view name,
                                         const CallLimits&) {
  if (is_dead()) return Dead();
  const auto pod = world_.pods.find(std::string(name));
  if (pod == world_.pods.end()) return absl::NotFoundError("no such pod");
  return pod->second;
}

absl::StatusOr<std::vector<PodFact>> Process::ReadPods(std::string_view, const CallLimits&) {
  if (is_dead()) return Dead();
  return world_.Pods();
}

absl::Status Process::Serve(const Action& action, const CallLimits& limits) {
  const auto pod = world_.pods.find(action.pod_name);
  if (pod == world_.pods.end() || pod->second.uid != action.pod_uid) return absl::OkStatus();
  auto claims = chooser_.ClaimsOf(pod->second);
  if (!claims.has_value()) return absl::NotFoundError("a claim is gone");
  const PodOnNode target{"ns", action.pod_name, action.pod_uid, pod->second.node, true};
  const auto written = writer_.Write(target, *std::move(claims), &chooser_, limits);
  if (!written.ok()) return written.status();
  world_.Serve(target.uid);
  return writer_.Confirm(*written, &chooser_, limits);
}

}  // namespace outrigger::devices::testing
