#include "follower.h"

#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <utility>
#include <vector>

#include "kube/config/config.h"
#include "kube/transport/client.h"
#include "kube/view/cluster_watch.h"
#include "lag.h"
#include "nlohmann/json.hpp"
#include "outrigger/agent/registry.h"
#include "serve/engine/engine.h"
#include "serve/engine/snapshot_nodes.h"
#include "serve/server/metrics.h"
#include "serve/server/service.h"

namespace outrigger::kube_follow {
namespace {

using std::chrono::milliseconds;

kube::ClusterWatchOptions WatchOptions(const FollowerOptions& options) {
  kube::ClusterWatchOptions watch;
  watch.pods = true;
  watch.max_staleness = milliseconds(options.max_staleness_ms);
  watch.reflector.silence = milliseconds(options.silence_ms);
  watch.reflector.protobuf = !options.json;
  if (options.backoff_ms > 0) {
    watch.reflector.first_retry = milliseconds(options.backoff_ms);
    watch.reflector.longest_retry = milliseconds(options.backoff_ms);
  }
  return watch;
}

// A key that files nothing sees every pod as it is stored: where a change has arrived.
cluster::ClusterOptions ClusterWith(Lag* lag) {
  cluster::ClusterOptions options;
  if (lag->wanted()) {
    options.indexes.push_back({"lag", [lag](const cluster::PodRecord& pod) {
                                 lag->Stored(pod);
                                 return std::string_view();
                               }});
  }
  return options;
}

/// A figure in KiB of /proc/self/status, in bytes.
int64_t MemoryOf(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key + ":")) return std::stoll(line.substr(key.size() + 1)) * 1024;
  }
  return -1;
}

int64_t CpuMilliseconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) { return time.tv_sec * 1000 + time.tv_usec / 1000; };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

// Those that act have more rights than a follower, and follow more than its tests look at.
std::vector<engine::ServedAgent> AgentsThatOnlyAnswer() {
  std::vector<engine::ServedAgent> agents;
  for (const AgentInfo& info : Registry()) {
    const SettingsValues defaults = info.factory.settings.Defaults();
    if (!info.factory.Access(defaults).empty()) continue;
    agents.push_back({.info = &info, .settings = defaults});
  }
  return agents;
}

class FollowerImpl final : public Follower {
 public:
  FollowerImpl(std::unique_ptr<kube::Client> client, const FollowerOptions& options)
      : client_(std::move(client)),
        lag_(options.lag_annotation),
        cluster_(ClusterWith(&lag_)),
        watch_(client_.get(), &cluster_, WatchOptions(options)),
        nodes_(&cluster_, [this] { return watch_.Usable(); }) {}

  absl::Status Serve() {
    auto engine = engine::Engine::Create(AgentsThatOnlyAnswer(), metrics_.get(), &nodes_);
    if (!engine.ok()) return engine.status();
    engine_ = *std::move(engine);
    Needs needs = Needs::All();
    if (!lag_.wanted()) needs.Merge(engine_->needs());
    watch_.Start(needs);
    server::ServiceOptions options;
    options.checks = [this] {
      return std::vector<server::Check>{{"cluster", std::string(watch_.Usable().message())}};
    };
    auto service = server::Service::Start(options, *engine_, *metrics_);
    if (!service.ok()) return service.status();
    service_ = *std::move(service);
    service_->SetReady();
    return absl::OkStatus();
  }

  cluster::Cluster& cluster() override { return cluster_; }

  std::string ReadyLine() override {
    const absl::Status usable = watch_.Usable();
    if (usable.ok()) lag_.Begin();
    nlohmann::json answer = {{"ready", usable.ok()}, {"reasons", nlohmann::json::array()}};
    if (!usable.ok()) answer["reasons"].push_back(std::string(usable.message()));
    return answer.dump();
  }

  std::string StatsLine() override {
    uint64_t events = 0;
    uint64_t relists = 0;
    uint64_t watches = 0;
    size_t objects = 0;
    for (const kube::ReflectorState& state : watch_.States()) {
      events += state.events;
      relists += state.relists;
      watches += state.watches;
      objects += state.objects;
    }
    const Lag::Figures lag = lag_.Sum();
    return nlohmann::json{{"rssBytes", MemoryOf("VmRSS")},
                          {"peakRssBytes", MemoryOf("VmHWM")},
                          {"cpuMs", CpuMilliseconds()},
                          {"events", events},
                          {"relists", relists},
                          {"watches", watches},
                          {"objects", objects},
                          {"lagP50Ms", lag.p50_ms},
                          {"lagP99Ms", lag.p99_ms},
                          {"lagCount", lag.count}}
        .dump();
  }

  std::string PortsLine() override {
    return nlohmann::json{{"port", service_->port()}, {"adminPort", service_->admin_port()}}.dump();
  }

 private:
  const std::unique_ptr<kube::Client> client_;
  Lag lag_;
  cluster::Cluster cluster_;
  kube::ClusterWatch watch_;
  const engine::SnapshotNodes nodes_;
  const std::unique_ptr<server::Metrics> metrics_ = server::Metrics::Create();
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<server::Service> service_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Follower>> Follower::Start(const FollowerOptions& options) {
  auto config = kube::LoadConfig(
      {.kubeconfig = options.kubeconfig, .context = options.context, .root = {}}, {});
  if (!config.ok()) return config.status();
  auto client = kube::Client::Create(*config);
  if (!client.ok()) return client.status();
  auto follower = std::make_unique<FollowerImpl>(*std::move(client), options);
  absl::Status status = follower->Serve();
  if (!status.ok()) return status;
  return follower;
}

}  // namespace outrigger::kube_follow
