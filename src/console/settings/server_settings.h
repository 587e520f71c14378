#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "outrigger/agent/settings.h"

namespace outrigger::cli {

/// The port when several agents are served together; one agent alone is served on its own port.
inline constexpr uint16_t kSharedPort = 9870;

/// Settings of `outrigger serve` that belong to no agent. They go the way of the agents' settings:
/// one declaration, and flags, environment, file, completion and reference page follow.
struct ServerSettings {
  std::string agents;  // empty: all
  int64_t port = -1;   // -1: as kSharedPort says
  std::string bind = "127.0.0.1";
  bool insecure_listen = false;
  int64_t admin_port = -1;  // -1: port + 100
  std::string admin_bind = "127.0.0.1";
  bool metrics_from_anywhere = false;
  bool watch = true;
  std::string kubeconfig;
  std::string context;
  std::string max_staleness = "90s";
  std::string node_table;
  std::string scheduler_config;
  std::string tls_cert;
  std::string tls_key;
  std::string client_ca;
  std::string max_body = "256Mi";
  int64_t max_waiting_binds = 5000;
  std::string drain_delay = "0s";
  std::string drain_timeout = "20s";
  std::string log_level = "info";
  std::string log_format = "text";
  std::string port_file;

  static constexpr auto kFields = std::tuple{
      Setting{"agents", &ServerSettings::agents, "agents to serve, separated by commas"},
      Setting{"port", &ServerSettings::port, Range{0, 65535},
              "port of the extender calls; 0 takes any free one"}
          .LegacyEnv("HTTP_PORT"),
      Setting{"bind", &ServerSettings::bind, "address of the extender calls"},
      Setting{"insecure-listen", &ServerSettings::insecure_listen,
              "allow --bind to name an address that is not loopback, without TLS: whoever reaches "
              "the port can ask, and read, what the scheduler is told"},
      Setting{"tls-cert", &ServerSettings::tls_cert,
              "certificate of the extender calls, in PEM, followed by those between it and its "
              "root; read again when it changes"},
      Setting{"tls-key", &ServerSettings::tls_key, "private key of --tls-cert, in PEM"},
      Setting{"client-ca", &ServerSettings::client_ca,
              "authorities, in PEM; with it every caller has to show a certificate signed by one"},
      Setting{"admin-port", &ServerSettings::admin_port, Range{0, 65535},
              "port of /livez, /readyz, /metrics, /version and pages of agents"},
      Setting{"admin-bind", &ServerSettings::admin_bind,
              "addresses of the admin port, separated by commas; pages of agents are answered at "
              "127.0.0.1 "
              "only, so in a pod give its own address and 127.0.0.1"},
      Setting{"metrics-from-anywhere", &ServerSettings::metrics_from_anywhere,
              "answer /metrics, in clear, to peers that are not on loopback"},
      Setting{"watch", &ServerSettings::watch,
              "follow the nodes of the cluster, for calls with names only, where there is a way to "
              "the API server: --kubeconfig, KUBECONFIG, or in a pod"},
      Setting{"kubeconfig", &ServerSettings::kubeconfig,
              "kubeconfig of the API server to follow; else KUBECONFIG, else in a pod the service "
              "account"},
      Setting{"context", &ServerSettings::context, "context of --kubeconfig"},
      Setting{"max-staleness", &ServerSettings::max_staleness,
              "age of what is known of the cluster above which calls with names only are answered "
              "with an error; at least 1m, and below 80s what is quiet is listed instead of "
              "followed"},
      Setting{"node-table", &ServerSettings::node_table,
              "file with the nodes of names-only calls, as `kubectl get nodes -o json` prints "
              "them; read once at start"},
      Setting{"scheduler-config", &ServerSettings::scheduler_config,
              "the KubeSchedulerConfiguration of the scheduler that calls gang and qos: profiles, "
              "Lease, timeouts, and what it does not compare; read once at start"},
      Setting{"max-body", &ServerSettings::max_body,
              "largest request that is read; the bodies of all under way may take 1Gi, or four "
              "times this if that is more, and a request that would take more is answered 503"},
      Setting{"max-waiting-binds", &ServerSettings::max_waiting_binds, Range{1, 65536},
              "most bind calls that wait at once, a thread each; more are answered 503"},
      Setting{"drain-delay", &ServerSettings::drain_delay,
              "how long calls are still taken after SIGTERM, with /readyz failing already"},
      Setting{"drain-timeout", &ServerSettings::drain_timeout,
              "how long calls under way may take after that, before they lose their connection"},
      Setting{"log-level", &ServerSettings::log_level, "trace|debug|info|warn|error",
              "least severe messages that are logged"}
          .LegacyEnv("LOG_LEVEL"),
      Setting{"log-format", &ServerSettings::log_format, "text|json",
              "form of the log on standard error, one message a line"},
      Setting{"port-file", &ServerSettings::port_file,
              "file that gets {\"port\":N,\"admin_port\":N} once the server is ready; port is left "
              "out where no agent takes calls"},
  };

  static constexpr std::array kRetired{
      Retired{"max-body-memory", "1Gi", "it is 1Gi, and at least four times max-body"},
      Retired{"max-workers", "64", "it is 64"},
      Retired{"max-connections", "2048",
              "it is 2048, and never less than max-waiting-binds and 256"},
  };
};

/// The specs of ServerSettings, with what the four plain types cannot say: sizes, durations, and
/// defaults that depend on something else.
std::vector<SettingSpec> ServerSpecs();

}  // namespace outrigger::cli
