#include "lab/nodes/pod_keeper.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "kube/errors.h"
#include "kube/objects.h"
#include "kube/resource.h"

namespace outrigger::lab {
namespace {

constexpr std::chrono::seconds kPodCallTimeout{10};

std::string PodKey(std::string_view namespace_, std::string_view name) {
  return fmt::format("{}/{}", namespace_, name);
}

/// Of a pod's network: 10.0.0.1 to 10.255.255.255, then again.
std::string AddressOfPod(uint32_t number) {
  const uint32_t host = number % 0xffffffU + 1;
  return fmt::format("10.{}.{}.{}", host >> 16U, (host >> 8U) & 255U, host & 255U);
}

/// Nobody needs what was to be written: the pod is gone, or another one has its name.
bool IsMoot(const absl::Status& status) {
  return absl::IsNotFound(status) || absl::IsAborted(status);
}

}  // namespace

/// A pod of one of our nodes. What is not const is guarded by the keeper's mutex.
class PodKeeper::Kept final : public QueuedWriter {
 public:
  Kept(PodKeeper& keeper, const Pod& pod, size_t node)
      : namespace_(pod.namespace_),
        name(pod.name),
        node(node),
        requests(PodRequests(pod)),
        facts(pod),
        keeper_(keeper) {}
  bool Write() override { return keeper_.Write(*this); }

  const std::string namespace_;
  const std::string name;
  const size_t node;
  const ResourceList requests;
  PodFacts facts;
  PodPlan plan;
  PodStage stage = PodStage::kNew;    // where it is
  PodStage written = PodStage::kNew;  // what the API server knows
  bool has_room = false;
  bool leaves = false;  // it was deleted
  bool failing = false;

 private:
  PodKeeper& keeper_;
};

PodKeeper::PodKeeper(kube::Api* api, const std::vector<SimulatedNode>& nodes, WriteQueue* queue,
                     ScopedTimers* timers, PodKeeperOptions options)
    : api_(*api), queue_(*queue), timers_(*timers), options_(std::move(options)) {
  for (const SimulatedNode& node : nodes) {
    nodes_.emplace(node.name, rooms_.size());
    rooms_.emplace_back(node.allocatable);
  }
}
PodKeeper::~PodKeeper() = default;

Needs PodKeeper::PodNeeds() {
  return Needs().PodMetadata().PodResources().PodStatus().PodTimes().PodImages().ClusterPods();
}

PodCounts PodKeeper::counts() const {
  const MutexLock lock(mutex_);
  return counts_;
}

size_t PodKeeper::running() const {
  const MutexLock lock(mutex_);
  return running_;
}

void PodKeeper::UpsertPod(const Pod& pod) {
  const auto node = nodes_.find(pod.node_name);
  if (node == nodes_.end()) return;
  Held kept;
  {
    const MutexLock lock(mutex_);
    Held& known = pods_[PodKey(pod.namespace_, pod.name)];
    if (known != nullptr && known->facts.uid != pod.uid) Forget(*std::exchange(known, nullptr));
    if (known == nullptr) {
      known = std::make_shared<Kept>(*this, pod, node->second);
      Begin(known, pod);
    } else if (pod.IsFinished()) {
      FreeRoom(*known);  // whoever ended it
      if (known->stage < PodStage::kEnded) known->stage = known->written = PodStage::kEnded;
    }
    if (pod.being_deleted) Leave(known);
    kept = known;
    if (kept->stage == kept->written) return;
  }
  queue_.Add(kept);
}

void PodKeeper::RemovePod(std::string_view namespace_, std::string_view name) {
  const MutexLock lock(mutex_);
  const auto found = pods_.find(PodKey(namespace_, name));
  if (found == pods_.end()) return;
  Forget(*found->second);
  pods_.erase(found);
}

/// Nothing is to be written of it any more.
void PodKeeper::Forget(Kept& kept) {
  FreeRoom(kept);
  kept.stage = kept.written = PodStage::kGone;
}

void PodKeeper::Begin(const Held& kept, const Pod& pod) {
  if (pod.IsFinished()) {
    kept->stage = kept->written = PodStage::kEnded;
    return;
  }
  std::vector<std::string> problems;
  kept->plan = ReadPodPlan(pod.annotations, pod.uid, options_.seed, &problems);
  kept->facts.exit_code = kept->plan.exit_code;
  kept->facts.node_address = AddressOfNode(kept->node);
  kept->facts.pod_address = AddressOfPod(addresses_++);
  if (pod.being_deleted) return;
  for (const std::string& problem : problems) {
    if (options_.event && pod.start_time == 0) {
      options_.event(pod, true, "InvalidAnnotation", problem);
    }
  }
  if (pod.start_time > 0) {
    Resume(kept, pod);
  } else {
    Admit(kept, pod);
  }
}

void PodKeeper::Admit(const Held& kept, const Pod& pod) {
  const WallTime now = options_.clock.wall();
  kept->facts.admitted = now;
  if (pod.scheduled_time == 0) kept->facts.scheduled = now;
  if (auto rejection = rooms_[kept->node].Admit(kept->requests)) {
    if (options_.event) options_.event(pod, true, rejection->reason, rejection->message);
    kept->facts.rejection = *std::move(rejection);
    kept->stage = PodStage::kRejected;
    ++counts_.rejected;
    return;
  }
  kept->has_room = true;
  ++running_;
  if (kept->plan.start_delay > Clock::Duration(0)) kept->stage = PodStage::kStarting;
  RunAndEnd(kept);
}

/// It was admitted before this program began.
void PodKeeper::Resume(const Held& kept, const Pod& pod) {
  kept->facts.admitted = WallTime(std::chrono::seconds(pod.start_time));
  kept->facts.running = kept->facts.admitted + kept->plan.start_delay;
  rooms_[kept->node].Take(kept->requests);
  kept->has_room = true;
  ++running_;
  kept->stage = kept->written = pod.phase == "Running" ? PodStage::kRunning : PodStage::kStarting;
  RunAndEnd(kept);
}

/// Makes it run, and end, when it is time.
void PodKeeper::RunAndEnd(const Held& kept) {
  const WallTime now = options_.clock.wall();
  const auto passed = std::chrono::duration_cast<Clock::Duration>(now - kept->facts.admitted);
  const Clock::Duration until_run = kept->plan.start_delay - passed;
  if (kept->stage < PodStage::kRunning) {
    if (until_run > Clock::Duration(0)) {
      MoveLater(kept, PodStage::kRunning, until_run);
    } else {
      kept->facts.running = now;
      kept->stage = PodStage::kRunning;
      ++counts_.started;
    }
  }
  if (kept->plan.duration) {
    MoveLater(kept, PodStage::kEnded,
              std::max(until_run + *kept->plan.duration, Clock::Duration(0)));
  }
}

/// It was deleted: it is gone once it has stopped.
void PodKeeper::Leave(const Held& kept) {
  if (std::exchange(kept->leaves, true)) return;
  const bool runs = kept->has_room && kept->plan.stop_delay > Clock::Duration(0);
  if (runs) return MoveLater(kept, PodStage::kGone, kept->plan.stop_delay);
  FreeRoom(*kept);
  kept->stage = PodStage::kGone;
}

void PodKeeper::FreeRoom(Kept& kept) {
  if (!std::exchange(kept.has_room, false)) return;
  rooms_[kept.node].Give(kept.requests);
  --running_;
}

void PodKeeper::MoveLater(const Held& kept, PodStage stage, Clock::Duration delay) {
  timers_.After(delay, [this, kept, stage] { MoveTo(kept, stage); });
}

void PodKeeper::MoveTo(const Held& kept, PodStage stage) {
  {
    const MutexLock lock(mutex_);
    if (kept->stage >= stage || (kept->stage >= PodStage::kEnded && stage != PodStage::kGone)) {
      return;
    }
    const WallTime now = options_.clock.wall();
    if (stage == PodStage::kRunning) {
      kept->facts.running = now;
      ++counts_.started;
    } else {
      kept->facts.ended = now;
      FreeRoom(*kept);
      if (stage == PodStage::kEnded) ++counts_.ended;
    }
    kept->stage = stage;
  }
  queue_.Add(kept);
}

/// Of stages that follow each other quickly the last one is written alone.
bool PodKeeper::Write(Kept& kept) {
  for (;;) {
    std::optional<PodFacts> facts;
    PodStage stage = PodStage::kNew;
    {
      const MutexLock lock(mutex_);
      if (kept.stage == kept.written) return true;
      facts = kept.facts;
      stage = kept.stage;
    }
    const absl::Status status = WriteStage(kept, *facts, stage);
    const bool moot = IsMoot(status);
    const MutexLock lock(mutex_);
    if (!status.ok() && !moot) {
      if (!std::exchange(kept.failing, true) && options_.warn && !stop_.stop_requested()) {
        options_.warn(fmt::format("pod {}/{} cannot be written: {}", kept.namespace_, kept.name,
                                  kube::MessageOf(status)));
      }
      return false;
    }
    kept.failing = false;
    kept.written = std::max(kept.written, moot ? kept.stage : stage);
    if (stage == PodStage::kGone && !moot) ++counts_.removed;
  }
}

absl::Status PodKeeper::WriteStage(const Kept& kept, const PodFacts& facts, PodStage stage) {
  const kube::ObjectName pod{kept.namespace_, kept.name};
  const kube::CallOptions options{
      .timeout = kPodCallTimeout, .stop = stop_.get_token(), .rate_limited = false};
  if (stage == PodStage::kGone) {
    kube::DeleteOptions at_once;
    at_once.uid = facts.uid;
    at_once.grace_period_seconds = 0;
    return kube::Delete(api_, kube::kPods, pod, at_once, options);
  }
  return kube::PatchStatus(api_, kube::kPods, pod, PodStatusPatch(facts, stage),
                           {kube::PatchType::kStrategicMerge, {}, false}, options)
      .status();
}

}  // namespace outrigger::lab
