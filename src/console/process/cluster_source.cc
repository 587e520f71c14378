#include "console/process/cluster_source.h"

#include <utility>

#include "cluster/change_listeners.h"
#include "cluster/cluster.h"
#include "console/process/follow_log.h"
#include "fmt/format.h"
#include "gang/plan/pods.h"
#include "kube/config/config.h"
#include "kube/transport/client.h"
#include "kube/view/cluster_actor.h"
#include "kube/view/cluster_watch.h"
#include "kube/view/custom_watch.h"
#include "serve/engine/snapshot_nodes.h"
#include "serve/server/version.h"
#include "spdlog/spdlog.h"

namespace outrigger::cli {
namespace {

using std::chrono::steady_clock;

// What a bad object says is anybody's text; once per object and minute would fill a log.
void WarnOfObject(const kube::ObjectProblem& problem) {
  if (problem.value == nullptr) {
    spdlog::warn("{} {}/{} cannot be read; its previous state is kept: {}", problem.resource,
                 problem.namespace_, problem.name, problem.error);
    return;
  }
  spdlog::debug("{} {}/{}: {}: \"{}\" is not accepted; expected {}", problem.resource,
                problem.namespace_, problem.name, problem.value->field, problem.value->value,
                problem.value->accepted);
}

kube::ClusterWatchOptions WatchOptions(const ClusterOptions& options,
                                       cluster::ChangeListeners* changes) {
  kube::ClusterWatchOptions watch;
  watch.max_staleness = options.max_staleness;
  watch.reflector.report = WarnOfObject;
  watch.changed = [changes] { changes->Notify(); };
  watch.status_changed = [changes] { changes->NotifyOfStatus(); };
  return watch;
}

kube::CustomWatchOptions CustomOptions(const ClusterOptions& options) {
  kube::CustomWatchOptions custom;
  custom.max_staleness = options.max_staleness;
  custom.reflector.report = WarnOfObject;
  return custom;
}

cluster::ClusterOptions ViewOptions(cluster::ChangeListeners* changes) {
  cluster::ClusterOptions options;
  options.indexes = {plan::PlannedPodsIndex()};
  options.changed = [changes] { changes->Notify(); };
  options.state_changed = [changes] { changes->NotifyOfState(); };
  return options;
}

// Who reports the events: the pod, which in Kubernetes is the host's name.
kube::ClusterActorOptions ActorOptions(const Environment& environment) {
  kube::ClusterActorOptions options;
  options.warn = [](const std::string& problem) { spdlog::warn("{}", problem); };
  options.events.warn = options.warn;
  const auto host = environment.find("HOSTNAME");
  if (host != environment.end() && !host->second.empty()) options.events.instance = host->second;
  return options;
}

class ClusterSourceImpl final : public ClusterSource {
 public:
  ClusterSourceImpl(std::unique_ptr<kube::Client> client, const ClusterOptions& options,
                    const Environment& environment)
      : client_(std::move(client)),
        cluster_(ViewOptions(&changes_)),
        watch_(client_.get(), &cluster_, WatchOptions(options, &changes_)),
        custom_(client_.get(), CustomOptions(options)),
        nodes_(&cluster_, [this] { return watch_.Usable(); }),
        actor_(client_.get(), &cluster_, &watch_, &custom_, &changes_, ActorOptions(environment)),
        log_([this] { return States(); }) {}

  const engine::NodeSource& nodes() const override { return nodes_; }
  ClusterAccess* access() override { return &actor_; }
  kube::Api* api() override { return client_.get(); }

  void Start(const Needs& needs) override {
    watch_.Start(needs);
    log_.Start();
  }
  void Stop() override {
    log_.Stop();
    custom_.Stop();
    watch_.Stop();
  }

  std::vector<server::Check> Checks() const override {
    std::vector<server::Check> checks;
    const absl::Status usable = watch_.Usable();
    checks.push_back({"cluster", std::string(usable.message())});
    return checks;
  }

  server::FollowedCluster Followed() const override {
    server::FollowedCluster followed;
    const kube::EventStats events = actor_.event_stats();
    followed.events_written = events.written;
    followed.events_dropped = events.dropped;
    const auto now = steady_clock::now();
    for (const kube::ReflectorState& state : States()) {
      followed.resources.push_back(
          {.resource = state.resource,
           .synced = state.synced,
           .age_seconds =
               state.as_of ? std::chrono::duration<double>(now - *state.as_of).count() : -1,
           .objects = state.objects,
           .unreadable = state.unreadable,
           .events = state.events,
           .relists = state.relists,
           .watches = state.watches,
           .failures = state.failures});
    }
    return followed;
  }

 private:
  std::vector<kube::ReflectorState> States() const {
    std::vector<kube::ReflectorState> states = watch_.States();
    for (kube::ReflectorState& state : custom_.States()) states.push_back(std::move(state));
    return states;
  }

  const std::unique_ptr<kube::Client> client_;
  cluster::ChangeListeners changes_;
  cluster::Cluster cluster_;
  kube::ClusterWatch watch_;
  kube::CustomWatch custom_;
  const engine::SnapshotNodes nodes_;
  kube::ClusterActor actor_;
  FollowLog log_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ClusterSource>> ClusterSource::Make(const ClusterOptions& options,
                                                                   const Environment& environment) {
  const bool in_pod = !options.HasKubeconfig() && kube::IsInCluster(environment);
  if (!options.watch || (!options.HasKubeconfig() && !in_pod)) return nullptr;
  auto config = in_pod ? kube::InClusterConfig(environment)
                       : kube::LoadConfig({.kubeconfig = options.kubeconfig,
                                           .by = options.kubeconfig_by,
                                           .context = options.context,
                                           .root = {}},
                                          environment);
  if (!config.ok()) return config.status();
  config->user_agent = kube::UserAgent(server::GetVersion().version);
  kube::ClientOptions client_options;
  client_options.warn = [](const std::string& text) { spdlog::warn("{}", text); };
  auto client = kube::Client::Create(*config, std::move(client_options));
  if (!client.ok()) return client.status();
  spdlog::info("watching the cluster of {}", config->server);
  return std::make_unique<ClusterSourceImpl>(*std::move(client), options, environment);
}

}  // namespace outrigger::cli
