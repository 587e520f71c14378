#include "kube/config/in_cluster.h"

#include <string_view>

#include "base/files.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

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

}  // namespace outrigger::kube
