#include "kube/cluster_watch.h"

#include <utility>

#include "fmt/chrono.h"
#include "fmt/format.h"
#include "kube/resource.h"

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
        fmt::format("the {} of the cluster cannot be followed{}", state.resource, Because(state)));
  }
  if (state.as_of && now - *state.as_of <= max_staleness) return absl::OkStatus();
  return absl::UnavailableError(fmt::format(
      "what is known of the {} of the cluster is older than {} (--max-staleness){}", state.resource,
      std::chrono::duration_cast<std::chrono::seconds>(max_staleness), Because(state)));
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

ClusterWatch::ClusterWatch(Api* api, cluster::Cluster* cluster, ClusterWatchOptions options)
    : api_(api), options_(std::move(options)), sink_(std::make_unique<Sink>(cluster)) {}

ClusterWatch::~ClusterWatch() {
  Stop();
}

void ClusterWatch::Start(const Needs& needs) {
  node_sink_ = std::make_unique<NodeSink>(sink_.get(), needs);
  reflectors_.push_back(
      std::make_unique<Reflector>(api_, kNodes, node_sink_.get(), options_.reflector));
  if (options_.pods) {
    pod_sink_ = std::make_unique<PodSink>(sink_.get(), needs);
    reflectors_.push_back(
        std::make_unique<Reflector>(api_, kPods, pod_sink_.get(), options_.reflector));
  }
  for (const auto& reflector : reflectors_) reflector->Start();
}

void ClusterWatch::Stop() {
  for (const auto& reflector : reflectors_) reflector->Stop();
}

absl::Status ClusterWatch::Usable() const {
  if (reflectors_.empty()) return absl::UnavailableError("the cluster is not followed yet");
  const auto now = options_.reflector.timing.now();
  for (const auto& reflector : reflectors_) {
    absl::Status usable = UsableAt(reflector->State(), options_.max_staleness, now);
    if (!usable.ok()) return usable;
  }
  return absl::OkStatus();
}

std::vector<ReflectorState> ClusterWatch::States() const {
  std::vector<ReflectorState> states;
  states.reserve(reflectors_.size());
  for (const auto& reflector : reflectors_) states.push_back(reflector->State());
  return states;
}

}  // namespace outrigger::kube
