#include "console/reading/live_client.h"

#include <utility>

#include "fmt/format.h"
#include "kube/config/config.h"
#include "serve/server/version.h"

namespace outrigger::cli {

kube::ClientOptions ForAPerson() {
  kube::ClientOptions options;
  options.retry.most = 2;
  return options;
}

absl::StatusOr<LiveClient> OpenLiveClient(const LiveClusterFlags& flags,
                                          const Environment& environment, std::string_view instead,
                                          kube::ClientOptions options) {
  auto config = kube::LoadConfig(
      {.kubeconfig = flags.kubeconfig, .context = flags.context, .root = {}}, environment);
  if (absl::IsNotFound(config.status()) && flags.kubeconfig.empty()) {
    return absl::NotFoundError(
        fmt::format("{}; give {}", std::string(config.status().message()), instead));
  }
  if (!config.ok()) return config.status();
  config->user_agent = kube::UserAgent(server::GetVersion().version);
  auto client = kube::Client::Create(*config, std::move(options));
  if (!client.ok()) return client.status();
  return LiveClient{*std::move(client), config->server};
}

}  // namespace outrigger::cli
