#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/container/node_hash_map.h"
#include "cluster/cluster.h"
#include "cluster/snapshot.h"
#include "gang/plan/group.h"
#include "gang/plan/groups/markers.h"
#include "gang/plan/pods.h"
#include "sdk/base/dialects.h"
#include "sdk/base/in_step.h"

namespace outrigger::plan {
namespace {

constexpr std::string_view kPlanned = "planned";

bool NamesGroup(const cluster::PodRecord& pod) {
  const auto has = [&pod](bool in_annotations, std::string_view key) {
    return !(in_annotations ? pod.Annotation(key) : pod.Label(key)).empty();
  };
  return pod.has_scheduling_group() || has(false, kPodGroupLabel) ||
         std::any_of(kDialects.begin(), kDialects.end(),
                     [&](const DialectRow& row) {
                       return row.IsByKey() &&
                              has(row.place == MarkerPlace::kAnnotation, row.marker);
                     }) ||
         std::any_of(kOthersOnPod.begin(), kOthersOnPod.end(), [&](const GroupOnPod& keys) {
           return has(keys.in_annotations, keys.name_key);
         });
}

}  // namespace

cluster::PodIndex PlannedPodsIndex() {
  return {.name = std::string(kPlanned),
          .key =
              [](const cluster::PodRecord& pod) {
                const bool waits = pod.node_name().empty() && !pod.is_terminal();
                return waits || NamesGroup(pod) ? kPlanned : std::string_view();
              },
          .type = typeid(PlannedPods)};
}

/// What was unpacked, by the record that it was unpacked from: as long as that is held, no other
/// one has its address.
class PlannedPods::Kept {
 public:
  const std::shared_ptr<const Pod>& Of(const cluster::PodPtr& record,
                                       const SchedulerChecks& checks) {
    Entry& entry = *in_step_.Find(record.get(),
                                  [this](const cluster::PodRecord* of) { return &entries_[of]; });
    if (entry.record == nullptr) {
      entry.record = record;
      Pod pod = record->Unpack();
      if (pod.node_name.empty()) checks.LeaveOutOf(&pod);
      entry.pod = std::make_shared<const Pod>(std::move(pod));
    }
    entry.seen = round_;
    return entry.pod;
  }
  /// Forgets what was not asked for since the last call.
  void EndRound() {
    in_step_.EndRound([this](Entry* entry) {
      if (entry->seen != round_) entries_.erase(entry->record.get());
    });
    ++round_;
  }

 private:
  struct Entry {
    cluster::PodPtr record;
    std::shared_ptr<const Pod> pod;
    uint64_t seen = 0;
  };
  absl::node_hash_map<const cluster::PodRecord*, Entry> entries_;
  InStep<const cluster::PodRecord*, Entry> in_step_;
  uint64_t round_ = 1;
};

PlannedPods::PlannedPods() : kept_(std::make_unique<Kept>()) {}
PlannedPods::~PlannedPods() = default;

std::span<const std::shared_ptr<const Pod>> PlannedPods::Of(const ClusterSnapshot& taken) {
  size_t count = 0;
  const cluster::Snapshot& snapshot = cluster::Snapshot::Of(taken);
  if (const std::optional<size_t> index = snapshot.FindIndex(typeid(PlannedPods))) {
    snapshot.ForEachPodOf(*index, kPlanned, [&](const cluster::PodPtr& record) {
      const std::shared_ptr<const Pod>& pod = kept_->Of(record, checks_);
      if (count == pods_.size()) {
        pods_.push_back(pod);
      } else if (pods_[count] != pod) {
        pods_[count] = pod;
      }
      ++count;
    });
  }
  pods_.resize(count);
  kept_->EndRound();
  return pods_;
}

}  // namespace outrigger::plan
