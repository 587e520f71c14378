#include "cli/serve/serve.h"

#include <memory>
#include <utility>
#include <vector>

#include "cli/serve/descriptors.h"
#include "cli/serve/no_nodes.h"
#include "codec/json/node_list.h"
#include "console/format/files.h"
#include "console/format/text.h"
#include "console/process/cluster_source.h"
#include "console/process/signals.h"
#include "fmt/format.h"
#include "kube/config/config.h"
#include "sdk/base/files.h"
#include "sdk/base/url.h"
#include "serve/server/version.h"
#include "spdlog/spdlog.h"

namespace outrigger::cli {
namespace {

// In addition to connections: files, events, the API server.
constexpr size_t kOtherDescriptors = 256;

size_t DescriptorsFor(const server::ServiceOptions& service) {
  return (service.takes_calls ? http::MaxConnections(service.extender) : 0) +
         server::kAdminConnections * service.admin_bind.size() + kOtherDescriptors;
}

absl::StatusOr<std::unique_ptr<engine::NodeSource>> LoadNodeTable(const std::string& path) {
  if (path.empty()) return nullptr;
  absl::StatusOr<std::string> content = ReadFile(path);
  if (!content.ok()) return Of("--node-table", content.status());
  const size_t size = content->size();
  content->append(json::kPadding, '\0');
  std::vector<Node> nodes;
  std::vector<json::MalformedValue> malformed;
  // What the agents read is known only once they exist, and they want this table first.
  absl::Status status =
      json::DecodeNodeList({content->data(), size}, Needs::All(), &nodes, &malformed);
  if (!status.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("--node-table {}: {}", path, std::string(status.message())));
  }
  for (const json::MalformedValue& value : malformed) {
    spdlog::warn("{}: node {}: {}: \"{}\" is not accepted; expected {}", path, value.node,
                 value.field, value.value, value.accepted);
  }
  spdlog::info("{} nodes read from {} for calls that carry only node names", nodes.size(), path);
  return std::make_unique<engine::FixedNodes>(std::move(nodes));
}

absl::Status WithPortHint(const absl::Status& status, const std::string& port_by) {
  const std::string text(status.message());
  if (absl::IsAlreadyExists(status)) {
    return absl::AlreadyExistsError(fmt::format(
        "{}; find the process with `ss -ltnp`, or choose other ports with {} and --admin-port",
        text, port_by));
  }
  if (!absl::IsPermissionDenied(status)) return status;
  return absl::PermissionDeniedError(fmt::format(
      "{}; choose a port from 1024 on with {} (and in the scheduler's urlPrefix and the probes), "
      "or set the sysctl net.ipv4.ip_unprivileged_port_start to 0 in the pod's securityContext",
      text, port_by));
}

absl::Status WritePortFile(const std::string& path, const server::Service& service) {
  if (path.empty()) return absl::OkStatus();
  const std::string port = service.port() == 0 ? "" : fmt::format("\"port\":{},", service.port());
  return WriteFileAtomically(path,
                             fmt::format("{{{}\"admin_port\":{}}}\n", port, service.admin_port()));
}

std::string AgentList(const std::vector<engine::ServedAgent>& agents) {
  std::vector<std::string> names;
  names.reserve(agents.size());
  for (const engine::ServedAgent& agent : agents) names.push_back(agent.info->name);
  return Listed(names);
}

absl::Status Announce(const ServeOptions& options, const std::string& agents,
                      server::Service& service) {
  service.SetReady();
  absl::Status status = WritePortFile(options.port_file, service);
  if (!status.ok()) return status;
  std::vector<std::string> admin;
  for (const std::string& address : options.service.admin_bind) {
    admin.push_back(HostAndPort(address, service.admin_port()));
  }
  const std::string where =
      options.service.takes_calls
          ? fmt::format("on {}", HostAndPort(options.service.extender.bind, service.port()))
          : "without an extender";
  spdlog::info("outrigger {} serves {} {}, admin on {}", server::GetVersion().version, agents,
               where, Listed(admin));
  return absl::OkStatus();
}

void RunUntilStopped(const ServeOptions& options, engine::Engine& engine,
                     server::Service& service) {
  WaitForStop();
  // First of all: calls that wait for what an agent does would otherwise wait on.
  engine.Stop();
  spdlog::info("stopping: calls in flight have {} ms to finish", options.drain_timeout.count());
  service.Drain(options.drain_delay, options.drain_timeout);
  spdlog::info("stopped");
}

/// Where the nodes of names-only calls come from: at most one of the two.
struct Nodes {
  std::unique_ptr<engine::NodeSource> table;
  std::unique_ptr<ClusterSource> cluster;

  const engine::NodeSource* source() const {
    return cluster != nullptr ? &cluster->nodes() : table.get();
  }
};

absl::StatusOr<Nodes> FindNodes(const ServeOptions& options, const Environment& environment) {
  Nodes nodes;
  auto table = LoadNodeTable(options.node_table);
  if (!table.ok()) return table.status();
  nodes.table = *std::move(table);
  auto cluster = ClusterSource::Make(options.cluster, environment);
  if (!cluster.ok()) return cluster.status();
  nodes.cluster = *std::move(cluster);
  return nodes;
}

// An agent that does without the cluster may still want its nodes.
void WarnOfNoNodes(const ServeOptions& options, const Nodes& nodes,
                   const Environment& environment) {
  if (nodes.source() != nullptr) return;
  const std::string text =
      NoNodesWarning(options.agents, options.cluster, kube::IsInCluster(environment));
  if (!text.empty()) spdlog::warn("{}", text);
}

// Agents know that there is no cluster, not why.
absl::Status WithCause(const absl::Status& status, const ServeOptions& options,
                       const Nodes& nodes) {
  if (!absl::IsFailedPrecondition(status) || nodes.cluster != nullptr || options.cluster.watch) {
    return status;
  }
  return absl::FailedPreconditionError(
      fmt::format("{}; {} prevents it: leave that out", std::string(status.message()),
                  options.node_table.empty() ? "--watch=false" : "--node-table"));
}

engine::AgentWorld WorldOf(const ServeOptions& options, const Environment& environment,
                           ClusterSource* cluster, server::Metrics* metrics) {
  engine::AgentWorld world;
  const auto host = environment.find("HOSTNAME");  // in Kubernetes the name of the pod
  if (host != environment.end()) world.own_pod = host->second;
  world.scheduler = options.scheduler;
  world.scheduler.waiting_binds = static_cast<int64_t>(options.service.extender.max_blocked);
  if (cluster != nullptr) world.cluster = cluster->access();
  world.metrics = [metrics](const AgentInfo& agent) { return metrics->OfAgent(agent); };
  return world;
}

/// Follows the cluster as long as it lives, if there is one and anybody reads of it.
class Following {
 public:
  Following(ClusterSource* cluster, const Needs& needs, server::Metrics* metrics)
      : cluster_(needs.AnyOfCluster() ? cluster : nullptr), metrics_(*metrics) {
    if (cluster_ == nullptr) return;
    cluster_->Start(needs);
    metrics_.Follow([this] { return cluster_->Followed(); });
  }
  ~Following() {
    if (cluster_ == nullptr) return;
    metrics_.Follow(nullptr);
    cluster_->Stop();
  }
  Following(const Following&) = delete;
  Following& operator=(const Following&) = delete;

  server::Checks checks() const {
    if (cluster_ == nullptr) return nullptr;
    return [this] { return cluster_->Checks(); };
  }

 private:
  ClusterSource* const cluster_;
  server::Metrics& metrics_;
};

}  // namespace

absl::Status Serve(const ServeOptions& options, const Environment& environment) {
  const std::string too_few = RaiseDescriptorLimit(DescriptorsFor(options.service));
  if (!too_few.empty()) spdlog::warn("{}", too_few);
  // Declared in the order of who outlives whom.
  const std::unique_ptr<server::Metrics> metrics = server::Metrics::Create();
  const auto nodes = FindNodes(options, environment);
  if (!nodes.ok()) return nodes.status();
  const std::string agents = AgentList(options.agents);
  const auto engine =
      engine::Engine::Create(options.agents, metrics.get(), nodes->source(),
                             WorldOf(options, environment, nodes->cluster.get(), metrics.get()));
  if (!engine.ok()) return engine.status();
  absl::Status status = (*engine)->Start();
  if (!status.ok()) return WithCause(status, options, *nodes);
  WarnOfNoNodes(options, *nodes, environment);
  const Following following(nodes->cluster.get(), (*engine)->needs(), metrics.get());
  server::ServiceOptions listeners = options.service;
  listeners.checks = following.checks();
  const auto service = server::Service::Start(listeners, **engine, *metrics);
  status = service.ok() ? Announce(options, agents, **service)
                        : WithPortHint(service.status(), options.port_by);
  if (status.ok()) RunUntilStopped(options, **engine, **service);
  (*engine)->Stop();
  return status;
}

}  // namespace outrigger::cli
