#include "kube/config/config.h"

#include <array>
#include <initializer_list>
#include <string_view>

#include "fmt/format.h"
#include "kube/config/kubeconfig.h"
#include "kube/errors.h"
#include "outrigger/base/text.h"
#include "sdk/base/files.h"
#include "sdk/base/url.h"

namespace outrigger::kube {
namespace {

constexpr char kHost[] = "KUBERNETES_SERVICE_HOST";
constexpr char kPort[] = "KUBERNETES_SERVICE_PORT";
constexpr char kFolder[] = "/var/run/secrets/kubernetes.io/serviceaccount/";
constexpr size_t kLargest = size_t{1} << 20;

}  // namespace

bool IsInCluster(const Environment& environment) {
  return !ValueOf(environment, kHost).empty() && !ValueOf(environment, kPort).empty();
}

absl::StatusOr<ClientConfig> InClusterConfig(const Environment& environment,
                                             const std::string& root) {
  if (!IsInCluster(environment)) {
    return absl::FailedPreconditionError(
        fmt::format("not in a cluster: {} and {} are not set", kHost, kPort));
  }
  const std::string_view host = ValueOf(environment, kHost);
  const bool ipv6 = host.find(':') != std::string_view::npos && !host.starts_with('[');
  ClientConfig config;
  const std::string shown = ipv6 ? fmt::format("[{}]", host) : std::string(host);
  config.server = fmt::format("https://{}:{}", shown, ValueOf(environment, kPort));
  config.token_file = root + kFolder + "token";
  config.ca.file = root + kFolder + "ca.crt";
  for (const std::string& file : {config.token_file, config.ca.file}) {
    const auto content = ReadSmallFile(file, kLargest);
    if (!content.ok()) return content.status();
    if (Trimmed(*content).empty()) return absl::InvalidArgumentError(file + ": is empty");
  }
  const auto name = ReadSmallFile(root + kFolder + "namespace", kLargest);
  if (name.ok() && !Trimmed(*name).empty()) config.namespace_ = Trimmed(*name);
  return config;
}

namespace {

absl::Status Invalid(std::string_view field, std::string_view value, std::string_view what) {
  return absl::InvalidArgumentError(fmt::format("{} '{}': {}", field, value, what));
}

// Both come into header lines.
bool IsHeaderText(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  }
  return true;
}

absl::Status CheckServer(const ClientConfig& config) {
  const auto url = ParseUrl(config.server);
  if (!url.ok()) {
    return absl::InvalidArgumentError(fmt::format(
        "server: {}; accepted is https://host[:port][/path], or http://", MessageOf(url.status())));
  }
  if (url->scheme != "https" && url->scheme != "http") {
    return Invalid("server", config.server, "only https:// and http:// are accepted");
  }
  if (!config.tls_server_name.empty() && !ParseUrl("https://" + config.tls_server_name).ok()) {
    return Invalid("tls-server-name", config.tls_server_name, "a host name is accepted");
  }
  return absl::OkStatus();
}

// Of a proxy, user and password may be part; they are never shown.
absl::Status CheckProxy(std::string_view proxy) {
  if (proxy.empty()) return absl::OkStatus();
  std::string url(proxy);
  const size_t scheme_end = url.find("://");
  const size_t at = url.rfind('@');
  if (scheme_end != std::string::npos && at != std::string::npos && at > scheme_end) {
    url.erase(scheme_end + 3, at - scheme_end - 2);
  }
  const auto parsed = ParseUrl(url);
  if (!parsed.ok()) {
    return absl::InvalidArgumentError(fmt::format("proxy-url: {}", MessageOf(parsed.status())));
  }
  constexpr std::array kSchemes = {"http", "https", "socks5", "socks5h"};
  for (const char* scheme : kSchemes) {
    if (parsed->scheme == scheme) return absl::OkStatus();
  }
  return Invalid("proxy-url", parsed->scheme + "://...",
                 "http://, https://, socks5:// and socks5h:// are accepted");
}

// The first of the variables that is set; else the last.
std::string_view FirstSet(const Environment& environment,
                          std::initializer_list<std::string_view> variables) {
  for (const std::string_view variable : variables) {
    if (!ValueOf(environment, variable).empty()) return variable;
  }
  return *(variables.end() - 1);
}

}  // namespace

absl::Status CheckConfig(const ClientConfig& config) {
  absl::Status status = CheckServer(config);
  if (status.ok()) status = CheckProxy(config.proxy_url);
  if (!status.ok()) return status;
  if (config.insecure && !config.ca.empty()) {
    return absl::InvalidArgumentError(
        "certificate-authority and insecure-skip-tls-verify exclude each other");
  }
  if (config.client_cert.empty() != config.client_key.empty()) {
    return absl::InvalidArgumentError(
        "client-certificate and client-key go together; one is missing");
  }
  if (!IsHeaderText(config.token)) return absl::InvalidArgumentError("token: has control bytes");
  for (const std::string& group : config.as_groups) {
    if (!IsHeaderText(group)) return absl::InvalidArgumentError("as-groups: has control bytes");
  }
  if (!IsHeaderText(config.as_user)) return absl::InvalidArgumentError("as: has control bytes");
  if (config.as_user.empty() && !config.as_groups.empty()) {
    return absl::InvalidArgumentError("as-groups: needs a user to impersonate in `as`");
  }
  return absl::OkStatus();
}

std::string_view ApplyProxyEnvironment(const Environment& environment, ClientConfig* config) {
  const auto server = ParseUrl(config->server);
  if (!config->proxy_url.empty() || !server.ok() || IsLoopback(server->host)) return {};
  const std::string_view variable =
      server->scheme == "https"
          ? FirstSet(environment, {"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"})
          : FirstSet(environment, {"HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"});
  const std::string_view proxy = ValueOf(environment, variable);
  if (proxy.empty()) return {};
  // "proxy:3128" is usual there.
  config->proxy_url =
      proxy.find("://") == std::string_view::npos ? fmt::format("http://{}", proxy) : proxy;
  config->no_proxy = ValueOf(environment, FirstSet(environment, {"NO_PROXY", "no_proxy"}));
  return variable;
}

absl::StatusOr<ClientConfig> LoadConfig(const ConfigOptions& options,
                                        const Environment& environment) {
  auto config = LoadKubeconfig({options.kubeconfig, options.context, options.by}, environment);
  if (absl::IsNotFound(config.status()) && options.kubeconfig.empty() && options.context.empty() &&
      IsInCluster(environment)) {
    config = InClusterConfig(environment, options.root);
  }
  if (!config.ok()) return config;
  const std::string_view proxy = ApplyProxyEnvironment(environment, &*config);
  config->environment = environment;
  absl::Status status = CheckConfig(*config);
  // All but the proxy was checked where it was read.
  if (!status.ok() && !proxy.empty()) {
    return absl::InvalidArgumentError(fmt::format("{}: {}", proxy, MessageOf(status)));
  }
  if (!status.ok()) return status;
  return config;
}

std::string UserAgent(std::string_view version) {
#if defined(__aarch64__)
  constexpr std::string_view kMachine = "arm64";
#elif defined(__x86_64__)
  constexpr std::string_view kMachine = "amd64";
#else
  constexpr std::string_view kMachine = "other";
#endif
  return fmt::format("outrigger/{} (linux/{})", version, kMachine);
}

}  // namespace outrigger::kube
