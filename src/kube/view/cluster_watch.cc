#include "kube/view/cluster_watch.h"

#include <algorithm>
#include <utility>

#include "fmt/chrono.h"
#include "fmt/format.h"
#include "kube/resource.h"
#include "kube/server_version.h"
#include "kube/view/cluster_sinks.h"

namespace outrigger::kube {
namespace {

std::string Because(const ReflectorState& state) {
  return state.last_error.empty() ? "" : ": " + state.last_error;
}

}  // namespace

absl::Status UsableAt(const ReflectorState& state, std::chrono::milliseconds max_staleness,
                      ReflectorState::TimePoint now) {
  if (!state.ready()) {
    return absl::UnavailableError(
        fmt::format("the {} of the cluster are not known yet{}", state.resource, Because(state)));
  }
  if (!state.followed && !state.last_error.empty()) {
    return absl::UnavailableError(
        fmt::format("the {} of the cluster cannot be watched{}", state.resource, Because(state)));
  }
  if (state.as_of && now - *state.as_of <= max_staleness) return absl::OkStatus();
  return absl::UnavailableError(
      fmt::format("the {} of the cluster are older than {} (--max-staleness){}", state.resource,
                  std::chrono::duration_cast<std::chrono::seconds>(max_staleness), Because(state)));
}

ReflectorOptions ListedInTime(ReflectorOptions options, std::chrono::milliseconds max_staleness) {
  const auto in_time = max_staleness - ClusterWatchOptions::kListTime;
  if (in_time.count() > 0) options.silence = std::min(options.silence, in_time);
  return options;
}

/// Hands on to the cluster what the reflectors read.
class ClusterWatch::Sink final : public ClusterSink {
 public:
  explicit Sink(cluster::Cluster* cluster) : cluster_(*cluster) {}
  void UpsertNode(Node node) override { cluster_.UpsertNode(node); }
  void RemoveNode(std::string_view name) override { cluster_.RemoveNode(name); }
  void UpsertPod(const Pod& pod) override { cluster_.UpsertPod(pod); }
  void RemovePod(std::string_view namespace_, std::string_view name) override {
    cluster_.RemovePod(namespace_, name);
  }

 private:
  cluster::Cluster& cluster_;
};

/// A kind and who follows it.
struct ClusterWatch::Followed {
  Kind kind;
  std::unique_ptr<ObjectSink> sink;
  Reflector reflector;  // last: its thread uses the sink
};

ClusterWatch::ClusterWatch(Api* api, cluster::Cluster* cluster, ClusterWatchOptions options)
    : api_(api),
      options_(std::move(options)),
      sink_(std::make_unique<Sink>(cluster)),
      objects_(std::make_unique<ObjectStore>(
          ObjectStore::Listeners{options_.changed, options_.status_changed},
          options_.reflector.timing)) {}

ClusterWatch::~ClusterWatch() {
  Stop();
}

void ClusterWatch::Follow(const Resource& resource, std::unique_ptr<ObjectSink> sink, Kind kind) {
  ReflectorOptions options = ListedInTime(options_.reflector, options_.max_staleness);
  options.may_be_missing = kind.may_be_missing;
  options.versions = kind.versions;
  options.turned = options_.changed;
  // Nobody asks how old an aid is, and they are many.
  if (kind.is_aid) options.silence *= 4;
  ObjectSink* const to = sink.get();
  // clang 14 does not make aggregates by std::make_unique.
  followed_.push_back(std::unique_ptr<Followed>(  // NOLINT(modernize-make-unique)
      new Followed{kind, std::move(sink), Reflector(api_, resource, to, std::move(options))}));
}

void ClusterWatch::FollowGroups(const Needs& needs) {
  const auto parts = needs.Has(Needs::kClusterGroupStatus) ? json::GroupParts::kAll
                                                           : json::GroupParts::kAllButStatus;
  for (const PodGroupKind& kind : kPodGroupKinds) {
    Follow(kind.resource, std::make_unique<PodGroupSink>(objects_.get(), kind.dialect, parts),
           {.may_be_missing = true,
            .is_aid = false,
            .dialect = kind.dialect,
            .versions = kind.versions});
  }
}

void ClusterWatch::FollowClasses(const Needs& needs) {
  const bool whole = needs.Has(Needs::kClusterPriorityClasses);
  if (!whole && !needs.Has(Needs::kClusterGroups)) return;
  Follow(kPriorityClasses, std::make_unique<PriorityClassSink>(objects_.get(), whole), {});
}

// A server that does not tell counts as it did, at first as the newest: what is at stake is some
// room for as long as a resize takes.
ResizeCounting ClusterWatch::Counting() {
  const auto version = FindServerVersion(*api_, stop_.get_token());
  if (version.ok()) counting_ = ResizeCountingOf(*version);
  return counting_;
}

void ClusterWatch::FollowClaims(const Needs& needs) {
  ObjectStore* const to = objects_.get();
  // Who only plans without them is set right by kube-scheduler: no reason to stop everybody.
  const bool is_aid = !needs.Has(Needs::kClusterFreshClaims);
  const Kind volumes{
      .may_be_missing = false, .is_aid = is_aid, .dialect = Dialect::kNone, .versions = {}};
  Follow(kVolumes, std::make_unique<VolumeSink>(to), volumes);
  Follow(kVolumeClaims, std::make_unique<VolumeClaimSink>(to), volumes);
  Follow(kStorageClasses, std::make_unique<StorageClassSink>(to), volumes);
  const Kind may_be_missing{
      .may_be_missing = true, .is_aid = is_aid, .dialect = Dialect::kNone, .versions = {}};
  Follow(kDeviceClaims, std::make_unique<DeviceClaimSink>(to), may_be_missing);
  const Kind missing_aid{
      .may_be_missing = true, .is_aid = true, .dialect = Dialect::kNone, .versions = {}};
  Follow(kDeviceClasses, std::make_unique<DeviceClassSink>(to), missing_aid);
}

void ClusterWatch::Start(const Needs& needs) {
  Follow(kNodes, std::make_unique<NodeSink>(sink_.get(), needs), {});
  if (options_.pods || needs.Has(Needs::kClusterPods)) {
    Follow(kPods, std::make_unique<PodSink>(sink_.get(), needs, [this] { return Counting(); }), {});
  }
  if (needs.Has(Needs::kClusterGroups)) FollowGroups(needs);
  FollowClasses(needs);
  if (needs.Has(Needs::kClusterBudgets)) {
    Follow(kDisruptionBudgets, std::make_unique<BudgetSink>(objects_.get()), {});
  }
  if (needs.Has(Needs::kClusterClaims)) FollowClaims(needs);
  started_ = true;
  for (const auto& followed : followed_) followed->reflector.Start();
}

void ClusterWatch::Stop() {
  stop_.request_stop();
  for (const auto& followed : followed_) followed->reflector.Stop();
  objects_->Stop();
}

absl::Status ClusterWatch::Usable() const {
  if (!started_) return absl::UnavailableError("the cluster is not watched yet");
  const auto now = options_.reflector.timing.now();
  for (const auto& followed : followed_) {
    const ReflectorState state = followed->reflector.State();
    // An aid is waited for at the start, unless it cannot be had.
    if (followed->kind.is_aid && (state.ready() || !state.last_error.empty())) continue;
    absl::Status usable = UsableAt(state, options_.max_staleness, now);
    if (!usable.ok()) return usable;
  }
  return absl::OkStatus();
}

std::shared_ptr<const ClusterObjects> ClusterWatch::Objects() const {
  DialectSet served;
  std::map<Dialect, std::string> unknown;
  if (started_) {
    for (const auto& followed : followed_) {
      const Dialect dialect = followed->kind.dialect;
      if (dialect == Dialect::kNone) continue;
      const ReflectorState state = followed->reflector.State();
      if (state.synced) served.Add(dialect);
      if (!state.unknown_versions.empty()) unknown[dialect] = state.unknown_versions;
    }
  }
  return objects_->Take(served, std::move(unknown));
}

std::string ClusterWatch::VersionOf(Dialect dialect) const {
  if (!started_) return "";
  for (const auto& followed : followed_) {
    if (followed->kind.dialect == dialect) return followed->reflector.State().version;
  }
  return "";
}

std::vector<ReflectorState> ClusterWatch::States() const {
  std::vector<ReflectorState> states;
  if (!started_) return states;
  states.reserve(followed_.size());
  for (const auto& followed : followed_) states.push_back(followed->reflector.State());
  return states;
}

}  // namespace outrigger::kube
