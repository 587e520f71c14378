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
  bool original = false;
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
      Setting{"agents", &ServerSettings::agents, "comma-separated agents to serve"},
      Setting{"port", &ServerSettings::port, Range{0, 65535},
              "port for extender calls; 0 picks a free one"}
          .LegacyEnv("HTTP_PORT"),
      Setting{"bind", &ServerSettings::bind, "address for extender calls"},
      Setting{"insecure-listen", &ServerSettings::insecure_listen,
              "allow a --bind address other than loopback without TLS: every client that reaches "
              "the port can call the agents and read all traffic"},
      Setting{"original", &ServerSettings::original,
              "listen as the original images did: by default on HTTP_PORT, else 80, on all "
              "addresses, without TLS"},
      Setting{"tls-cert", &ServerSettings::tls_cert,
              "server certificate for extender calls, in PEM, followed by its intermediates; "
              "reloaded when the file changes"},
      Setting{"tls-key", &ServerSettings::tls_key, "private key of --tls-cert, in PEM"},
      Setting{"client-ca", &ServerSettings::client_ca,
              "CA certificates, in PEM; if set, every client must present a certificate signed by "
              "one of them"},
      Setting{"admin-port", &ServerSettings::admin_port, Range{0, 65535},
              "port for /livez, /readyz, /metrics, /version and agents' pages"},
      Setting{"admin-bind", &ServerSettings::admin_bind,
              "comma-separated addresses for the admin port; agents' pages are served on 127.0.0.1 "
              "only, so in a pod give the pod IP and 127.0.0.1"},
      Setting{"metrics-from-anywhere", &ServerSettings::metrics_from_anywhere,
              "serve /metrics unencrypted to clients that are not on loopback"},
      Setting{"watch", &ServerSettings::watch,
              "watch the cluster, for calls that carry only node names, if the API server is "
              "configured: --kubeconfig, KUBECONFIG, or in a pod"},
      Setting{"kubeconfig", &ServerSettings::kubeconfig,
              "kubeconfig for the API server; default KUBECONFIG, then the pod's service account"},
      Setting{"context", &ServerSettings::context, "context of --kubeconfig"},
      Setting{"max-staleness", &ServerSettings::max_staleness,
              "age of the watched state above which calls that carry only node names fail; at "
              "least 1m; below 80s quiet resources are listed instead of watched"},
      Setting{"node-table", &ServerSettings::node_table,
              "file with the nodes for calls that carry only node names, as `kubectl get nodes -o "
              "json` prints them; read once at start"},
      Setting{"scheduler-config", &ServerSettings::scheduler_config,
              "KubeSchedulerConfiguration of the scheduler that calls gang and qos; gives "
              "profiles, Lease, timeouts and disabled checks; read once at start"},
      Setting{"max-body", &ServerSettings::max_body,
              "largest request body; all bodies in flight may take 1Gi, or four times this if that "
              "is more; beyond it requests get 503"},
      Setting{"max-waiting-binds", &ServerSettings::max_waiting_binds, Range{1, 65536},
              "maximum bind calls that wait at once, one thread each; further ones get 503"},
      Setting{"drain-delay", &ServerSettings::drain_delay,
              "time after SIGTERM in which new calls are still accepted while /readyz fails"},
      Setting{"drain-timeout", &ServerSettings::drain_timeout,
              "time after that in which calls in flight may finish, before their connections are "
              "closed"},
      Setting{"log-level", &ServerSettings::log_level, "trace|debug|info|warn|error",
              "lowest level that is logged"}
          .LegacyEnv("LOG_LEVEL"),
      Setting{"log-format", &ServerSettings::log_format, "text|json",
              "format of the log on standard error, one message per line"},
      Setting{"port-file", &ServerSettings::port_file,
              "file to write {\"port\":N,\"admin_port\":N} to once the server is ready; without "
              "port if no agent takes calls"},
  };

  static constexpr std::array kRetired{
      Retired{"max-body-memory", "1Gi", "fixed at 1Gi, and at least four times max-body"},
      Retired{"max-workers", "64", "fixed at 64"},
      Retired{"max-connections", "2048", "fixed at 2048, and at least max-waiting-binds and 256"},
  };
};

/// The specs of ServerSettings, with what the four plain types cannot say: sizes, durations, and
/// defaults that depend on something else.
std::vector<SettingSpec> ServerSpecs();

}  // namespace outrigger::cli
