#include "fault_process.h"

#include <utility>

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
                 LateWrites* late, std::function<void()> interleave)
    : identity_(std::move(identity)),
      world_(*world),
      random_(*random),
      faults_(*faults),
      access_(world, random, faults, late, std::move(interleave)),
      chooser_(world, random),
      writer_(&access_, Options()) {}

WriterOptions Process::Options() const {
  WriterOptions options;
  options.identity = identity_;
  options.most_tries = 3;
  options.wall = [this] { return world_.now; };
  return options;
}

void Process::BindPod(const std::string& name, const std::string& node) {
  const auto pod = world_.pods.find(name);
  if (is_dead() || pod == world_.pods.end()) return;
  auto claims = chooser_.ClaimsOf(pod->second);
  if (!claims.has_value()) return;
  const PodOnNode target{"ns", name, pod->second.uid, node, false};
  const auto written = writer_.Write(target, *std::move(claims), &chooser_, {});
  if (!written.ok() || is_dead()) return;
  // The binding: refused, without an answer, or done.
  const bool is_refused = faults_.conflict > 0 && OneIn(random_, 6);
  const bool is_lost = faults_.lost > 0 && OneIn(random_, 6);
  const bool happens = !is_refused && world_.Bind(name, node).ok();
  if (happens) world_.served.insert(target.uid);
  if (is_lost) {
    const auto now = world_.pods.find(name);
    const bool is_bound =
        now != world_.pods.end() && now->second.uid == target.uid && now->second.node == node;
    if (is_bound) (void)writer_.Confirm(*written, &chooser_, {});
    return;
  }
  if (happens) {
    (void)writer_.Confirm(*written, &chooser_, {});
  } else {
    (void)writer_.GiveBack(*written, &chooser_, {});
  }
}

bool Process::Keep() {
  const std::vector<PoolObject> pools = chooser_.Pools();
  const std::vector<ClaimObject> claims = chooser_.Claims();
  const std::vector<PodFact> pods = world_.Pods();
  const std::vector<Action> actions = Decide(
      {.pools = pools, .claims = claims, .pods = pods, .admin_classes = {}, .now = world_.now});
  Carrier carrier(&access_, this, &chooser_, Options());
  for (const Action& action : actions) {
    if (is_dead()) return true;
    (void)carrier.Carry(action, {});
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

absl::Status Process::Serve(const Action& action, const CallLimits& limits) {
  const auto pod = world_.pods.find(action.pod_name);
  if (pod == world_.pods.end() || pod->second.uid != action.pod_uid) return absl::OkStatus();
  auto claims = chooser_.ClaimsOf(pod->second);
  if (!claims.has_value()) return absl::NotFoundError("a claim is gone");
  const PodOnNode target{"ns", action.pod_name, action.pod_uid, pod->second.node, true};
  const auto written = writer_.Write(target, *std::move(claims), &chooser_, limits);
  if (!written.ok()) return written.status();
  world_.served.insert(target.uid);
  return writer_.Confirm(*written, &chooser_, limits);
}

}  // namespace outrigger::devices::testing
