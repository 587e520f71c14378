#include "kube/config/config.h"

#include <array>

#include "base/url.h"
#include "fmt/format.h"
#include "kube/config/in_cluster.h"
#include "kube/config/kubeconfig.h"
#include "kube/status_text.h"

namespace outrigger::kube {
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

std::string_view AnyCase(const Environment& environment, std::string_view upper,
                         std::string_view lower) {
  const std::string_view value = ValueOf(environment, upper);
  return value.empty() ? ValueOf(environment, lower) : value;
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
    return absl::InvalidArgumentError("as-groups: wants a user to impersonate in `as`");
  }
  return absl::OkStatus();
}

void ApplyProxyEnvironment(const Environment& environment, ClientConfig* config) {
  const auto server = ParseUrl(config->server);
  if (!config->proxy_url.empty() || !server.ok() || IsLoopback(server->host)) return;
  std::string_view proxy = server->scheme == "https"
                               ? AnyCase(environment, "HTTPS_PROXY", "https_proxy")
                               : AnyCase(environment, "HTTP_PROXY", "http_proxy");
  if (proxy.empty()) proxy = AnyCase(environment, "ALL_PROXY", "all_proxy");
  if (proxy.empty()) return;
  // "proxy:3128" is usual there.
  config->proxy_url =
      proxy.find("://") == std::string_view::npos ? fmt::format("http://{}", proxy) : proxy;
  config->no_proxy = AnyCase(environment, "NO_PROXY", "no_proxy");
}

absl::StatusOr<ClientConfig> LoadConfig(const ConfigOptions& options,
                                        const Environment& environment) {
  auto config = LoadKubeconfig({options.kubeconfig, options.context}, environment);
  if (absl::IsNotFound(config.status()) && options.kubeconfig.empty() && options.context.empty() &&
      IsInCluster(environment)) {
    config = InClusterConfig(environment, options.root);
  }
  if (!config.ok()) return config;
  ApplyProxyEnvironment(environment, &*config);
  config->environment = environment;
  absl::Status status = CheckConfig(*config);
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
