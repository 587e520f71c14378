#include "cli/serve/options.h"

#include <arpa/inet.h>

#include <algorithm>
#include <set>
#include <utility>

#include "cli/serve/original.h"
#include "console/format/text.h"
#include "console/settings/units.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

// Bookmarks come about once a minute.
constexpr std::chrono::milliseconds kLeastStaleness{60'000};

absl::Status Refuse(const std::string& text) {
  return absl::InvalidArgumentError(text);
}

std::vector<std::string> NamesOf(const std::vector<AgentInfo>& registry) {
  std::vector<std::string> names;
  names.reserve(registry.size());
  for (const AgentInfo& agent : registry) names.push_back(agent.name);
  return names;
}

absl::Status UnknownAgent(const std::string& name, const std::vector<AgentInfo>& registry,
                          const LeftOutAgents& left_out) {
  const std::vector<std::string> names = NamesOf(registry);
  if (std::find(left_out.begin(), left_out.end(), name) != left_out.end()) {
    return Refuse(fmt::format(
        "agent {0} is not compiled in; build with -DOUTRIGGER_AGENT_{1}=ON (compiled in: {2})",
        name, UpperCase(name), Listed(names)));
  }
  return Refuse(fmt::format("there is no agent \"{}\"{} (compiled in: {})", name,
                            DidYouMean(name, names), Listed(names)));
}

uint16_t DefaultPort(const std::vector<engine::ServedAgent>& agents) {
  return agents.size() == 1 ? agents[0].info->port : kSharedPort;
}

absl::Status ChoosePorts(const ServerSettings& settings, uint16_t default_port,
                         ServeOptions* options) {
  constexpr int kAdminOffset = 100;
  server::ServiceOptions* const service = &options->service;
  service->extender.port = settings.port < 0 ? default_port : static_cast<uint16_t>(settings.port);
  if (settings.admin_port >= 0) {
    service->admin_port = static_cast<uint16_t>(settings.admin_port);
  } else if (service->extender.port == 0) {
    service->admin_port = 0;
  } else if (service->extender.port + kAdminOffset > 65535) {
    return Refuse(fmt::format(
        "{} {}: port {} does not exist, so the admin port has no default; set --admin-port",
        options->port_by, service->extender.port, service->extender.port + kAdminOffset));
  } else {
    service->admin_port = static_cast<uint16_t>(service->extender.port + kAdminOffset);
  }
  if (service->extender.port != 0 && service->extender.port == service->admin_port) {
    return Refuse(fmt::format("{} and --admin-port are both {}; they must differ", options->port_by,
                              service->extender.port));
  }
  return absl::OkStatus();
}

// Settings of the extender's listener, which is not there where no agent takes calls.
constexpr std::string_view kOfCalls[] = {"port",       "bind",     "insecure-listen",
                                         "tls-cert",   "tls-key",  "client-ca",
                                         "node-table", "max-body", "max-waiting-binds"};

absl::Status CheckCalls(const std::vector<engine::ServedAgent>& agents,
                        const std::set<std::string, std::less<>>& given, bool takes_calls) {
  if (takes_calls) return absl::OkStatus();
  for (const std::string_view setting : kOfCalls) {
    if (!given.contains(setting)) continue;
    std::vector<std::string> names;
    names.reserve(agents.size());
    for (const engine::ServedAgent& agent : agents) names.push_back(agent.info->name);
    return Refuse(fmt::format(
        "--{} is not accepted: with the settings of {} no scheduler calls the agents, so there is "
        "no port for calls; leave it out (probes, metrics and pages are on --admin-port)",
        setting, Listed(names)));
  }
  return absl::OkStatus();
}

absl::Status CheckAddress(const ServerSettings& settings) {
  if (IsLoopback(settings.bind) || settings.insecure_listen || !settings.tls_cert.empty()) {
    return absl::OkStatus();
  }
  return Refuse(
      fmt::format("--bind {} is not loopback, and without TLS every client that reaches the port "
                  "can call the agents and read all traffic. Give --tls-cert and --tls-key, use "
                  "127.0.0.1 next to the scheduler, or accept it with --insecure-listen",
                  settings.bind));
}

absl::Status ChooseTls(const ServerSettings& settings, http::ServerOptions* extender) {
  if (settings.tls_cert.empty() != settings.tls_key.empty()) {
    return Refuse(fmt::format("--tls-cert and --tls-key go together; --tls-{} is missing",
                              settings.tls_cert.empty() ? "cert" : "key"));
  }
  if (settings.tls_cert.empty()) {
    if (settings.client_ca.empty()) return absl::OkStatus();
    return Refuse("--client-ca needs --tls-cert and --tls-key");
  }
  extender->tls = http::TlsOptions{.cert_file = settings.tls_cert,
                                   .key_file = settings.tls_key,
                                   .client_ca_file = settings.client_ca};
  return absl::OkStatus();
}

void ChooseLimits(const ServerSettings& settings, http::ServerOptions* extender) {
  extender->max_body = *ParseSize(settings.max_body);  // the loader has checked the text
  extender->max_body_memory = std::max(extender->max_body_memory, 4 * extender->max_body);
  extender->max_blocked = static_cast<size_t>(settings.max_waiting_binds);
}

absl::Status ChooseCluster(const ServerSettings& settings, const Environment& environment,
                           ClusterOptions* cluster) {
  // The loader has checked the text.
  cluster->max_staleness = *ParseDuration(settings.max_staleness);
  if (cluster->max_staleness < kLeastStaleness) {
    return Refuse(
        fmt::format("--max-staleness {} is not accepted; expected at least {}: in a quiet cluster "
                    "the API server confirms only about once a minute that nothing has changed",
                    settings.max_staleness, PrintDuration(kLeastStaleness)));
  }
  cluster->watch = settings.watch;
  cluster->kubeconfig = settings.kubeconfig;
  cluster->variable = !ValueOf(environment, "KUBECONFIG").empty();
  cluster->context = settings.context;
  const bool fixed = !settings.node_table.empty();
  if (fixed && !settings.kubeconfig.empty()) {
    return Refuse("give either --node-table or --kubeconfig: both are sources of nodes");
  }
  if (!settings.context.empty() && !cluster->HasKubeconfig()) {
    return Refuse("--context needs a kubeconfig: give --kubeconfig or KUBECONFIG, too");
  }
  if (fixed) cluster->watch = false;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<const AgentInfo*>> ChooseAgents(const std::string& list,
                                                           const std::vector<AgentInfo>& registry,
                                                           const LeftOutAgents& left_out) {
  if (registry.empty()) {
    return Refuse(
        "this program was built without any agent; build with -DOUTRIGGER_AGENT_<NAME>=ON");
  }
  std::vector<const AgentInfo*> chosen;
  if (list.empty()) {
    for (const AgentInfo& agent : registry) chosen.push_back(&agent);
    return chosen;
  }
  std::set<std::string> seen;
  for (const std::string& name : SplitList(list)) {
    const auto agent = std::find_if(registry.begin(), registry.end(),
                                    [&](const AgentInfo& info) { return info.name == name; });
    if (agent == registry.end()) return UnknownAgent(name, registry, left_out);
    if (!seen.insert(name).second) return Refuse(fmt::format("agent {} is named twice", name));
    chosen.push_back(&*agent);
  }
  return chosen;
}

absl::StatusOr<std::vector<engine::ServedAgent>> ServedAgents(
    const std::vector<SettingGroup>& groups, const std::vector<AgentInfo>& registry,
    const LeftOutAgents& left_out) {
  const auto chosen = ChooseAgents(groups.at(0).server->agents, registry, left_out);
  if (!chosen.ok()) return chosen.status();
  std::vector<engine::ServedAgent> served;
  for (const AgentInfo* agent : *chosen) {
    const auto group = std::find_if(groups.begin(), groups.end(),
                                    [&](const SettingGroup& g) { return g.agent == agent; });
    if (group != groups.end()) served.push_back({agent, group->values, *group->weight});
  }
  return served;
}

absl::StatusOr<ServeOptions> MakeServeOptions(const std::vector<SettingGroup>& groups,
                                              const std::vector<AgentInfo>& registry,
                                              const LeftOutAgents& left_out,
                                              const Environment& environment) {
  const ServerSettings& settings = *groups.at(0).server;
  auto agents = ServedAgents(groups, registry, left_out);
  if (!agents.ok()) return agents.status();
  ServeOptions options;
  options.service.takes_calls =
      std::any_of(agents->begin(), agents->end(),
                  [](const engine::ServedAgent& agent) { return agent.TakesCalls(); });
  absl::Status status =
      CheckCalls(*agents, groups.at(0).values.given(), options.service.takes_calls);
  if (status.ok()) status = CheckAddress(settings);
  options.service.extender.bind = settings.bind;
  absl::StatusOr<uint16_t> port = DefaultPort(*agents);
  if (status.ok() && settings.original && options.service.takes_calls) {
    port = ListenAsOriginal(groups.at(0), environment, &options);
    status = port.status();
  }
  if (status.ok()) status = ChoosePorts(settings, *port, &options);
  if (status.ok()) status = ChooseTls(settings, &options.service.extender);
  if (status.ok()) ChooseLimits(settings, &options.service.extender);
  if (status.ok()) status = ChooseCluster(settings, environment, &options.cluster);
  if (!status.ok()) return status;
  options.service.admin_bind = SplitList(settings.admin_bind);
  options.service.metrics_from_anywhere = settings.metrics_from_anywhere;
  options.drain_delay = *ParseDuration(settings.drain_delay);
  options.drain_timeout = *ParseDuration(settings.drain_timeout);
  options.agents = *std::move(agents);
  options.node_table = settings.node_table;
  options.scheduler_config = settings.scheduler_config;
  options.scheduler_config_by = groups.at(0).GivenBy("--scheduler-config");
  options.cluster.kubeconfig_by = groups.at(0).GivenBy("--kubeconfig");
  options.port_file = settings.port_file;
  return options;
}

LogOptions MakeLogOptions(const ServerSettings& settings) {
  return {settings.log_level, settings.log_format == "json"};
}

bool IsLoopback(const std::string& address) {
  if (address == "localhost") return true;
  in_addr v4{};
  if (inet_pton(AF_INET, address.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24U) == 127;
  in6_addr v6{};
  return inet_pton(AF_INET6, address.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

}  // namespace outrigger::cli
