#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sdk/base/environment.h"

// Which API server is called, and as whom.

namespace outrigger::kube {

/// PEM text: in hand, or in a file that is read again when it changes. `data` wins. `from` is for
/// errors: where the text stands ("config: users 'jane' client-key-data"), or empty.
struct Pem {
  std::string data;
  std::string file;
  std::string from = {};
  bool empty() const { return data.empty() && file.empty(); }
};

/// A program that prints credentials (client.authentication.k8s.io).
struct ExecPlugin {
  std::string api_version;  // ".../v1" or ".../v1beta1"
  /// As found in the kubeconfig; one with a slash in it is already resolved.
  std::string command;
  std::vector<std::string> args;
  std::map<std::string, std::string> env;
  std::string install_hint;
  /// Whether the plugin is told which cluster it is for, and what extra configuration of it (JSON,
  /// may be empty).
  bool provide_cluster_info = false;
  std::string cluster_config;
  /// A plugin that takes longer is killed.
  std::chrono::milliseconds timeout{60'000};
};

struct ClientConfig {
  std::string server;           // "https://10.0.0.1:6443"; a path is a prefix of all paths
  std::string tls_server_name;  // the name that the certificate is checked for, if not the host's
  bool insecure = false;        // whoever answers is believed
  Pem ca;                       // empty: the system's
  Pem client_cert;
  Pem client_key;
  std::string proxy_url;  // "http://proxy:3128", https, socks5 or socks5h; empty: none
  std::string no_proxy;   // hosts that are reached without it, as in NO_PROXY

  std::string token;       // with token_file: until that could be read
  std::string token_file;  // read again while it is in use
  std::optional<ExecPlugin> exec;
  std::string as_user;  // impersonation
  std::vector<std::string> as_groups;

  std::string namespace_ = "default";  // of calls that are not told another
  std::string user_agent = "outrigger";
  /// What an exec plugin inherits, and where PATH is taken from.
  Environment environment;
};

struct ConfigOptions {
  std::string kubeconfig;  // path; empty: KUBECONFIG, else ~/.kube/config
  std::string by = {};     // which flag or variable names it, for errors; empty: --kubeconfig
  std::string context;     // empty: the current one
  std::string root;        // in front of the in-cluster files' paths; for tests
};

/// The way to the API server as kubectl finds it: the kubeconfig that `options` or KUBECONFIG
/// names, else ~/.kube/config, else the pod's service account. The proxy variables count unless the
/// kubeconfig has a proxy-url. Errors name what names the file, file, entry, value and what is
/// accepted: NotFound if there is no configuration at all.
absl::StatusOr<ClientConfig> LoadConfig(const ConfigOptions& options,
                                        const Environment& environment);

/// InvalidArgument names the field that no call could be made with.
absl::Status CheckConfig(const ClientConfig& config);

/// Sets the proxy that HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY (or in lower case) mean for
/// config->server, unless it has one or is a loopback address. Returns the variable that it took,
/// or nothing.
std::string_view ApplyProxyEnvironment(const Environment& environment, ClientConfig* config);

/// "outrigger/0.1.0 (linux/amd64)"
std::string UserAgent(std::string_view version);

/// Whether KUBERNETES_SERVICE_HOST and _PORT are set, as they are in every container.
bool IsInCluster(const Environment& environment);

/// The API server and service account of the pod that this runs in: token, CA and namespace are
/// files below /var/run/secrets/kubernetes.io/serviceaccount, looked for behind `root`. Token and
/// CA are read again while they are in use. FailedPrecondition without the variables; a missing
/// token or CA is NotFound and named.
absl::StatusOr<ClientConfig> InClusterConfig(const Environment& environment,
                                             const std::string& root = {});

}  // namespace outrigger::kube
