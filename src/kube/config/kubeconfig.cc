#include "kube/config/kubeconfig.h"

#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "base/files.h"
#include "fmt/format.h"
#include "kube/config/kubeconfig_yaml.h"
#include "kube/status_text.h"
#include "outrigger/base/text.h"

namespace outrigger::kube {
namespace {

// The paths to try, and whether one that does not exist may be left out.
struct Paths {
  std::vector<std::string> paths;
  bool all_must_exist = false;
};

Paths PathsToRead(const KubeconfigOptions& options, const Environment& environment) {
  if (!options.path.empty()) return {{options.path}, true};
  Paths found;
  std::string_view list = ValueOf(environment, "KUBECONFIG");
  while (!list.empty()) {
    const size_t colon = list.find(':');
    std::string path(list.substr(0, colon));
    if (!path.empty()) found.paths.push_back(std::move(path));
    list = colon == std::string_view::npos ? std::string_view() : list.substr(colon + 1);
  }
  const std::string_view home = ValueOf(environment, "HOME");
  if (found.paths.empty() && !home.empty()) {
    found.paths.push_back(fmt::format("{}/.kube/config", home));
  }
  return found;
}

template <typename Entry>
const Entry* FindEntry(const std::vector<KubeconfigFile>& files,
                       std::vector<Entry> KubeconfigFile::*list, const std::string& name) {
  for (const KubeconfigFile& file : files) {
    for (const Entry& entry : file.*list) {
      if (entry.name == name) return &entry;
    }
  }
  return nullptr;
}

std::string Names(const std::vector<KubeconfigFile>& files) {
  std::string names;
  for (const KubeconfigFile& file : files) names += (names.empty() ? "" : ", ") + file.name;
  return names;
}

std::string ContextNames(const std::vector<KubeconfigFile>& files) {
  std::string names;
  for (const KubeconfigFile& file : files) {
    for (const KubeContext& context : file.contexts) {
      if (names.size() > 500) return names + ", ...";
      names += (names.empty() ? "" : ", ") + context.name;
    }
  }
  return names;
}

absl::Status Wrong(std::string_view where, std::string_view what) {
  return absl::InvalidArgumentError(Printable(fmt::format("{}: {}", where, what)));
}

absl::Status TakeUser(const KubeUser& user, ClientConfig* config) {
  if (!user.refused.empty()) return Wrong(user.where, user.refused);
  // client-go runs no plugin where there is something else to show (exec.UpdateTransportConfig).
  const bool others =
      !user.token.empty() || !user.token_file.empty() || (!user.cert.empty() && !user.key.empty());
  if (!others && !user.exec_refused.empty()) return Wrong(user.where, user.exec_refused);
  config->token = user.token;
  config->token_file = user.token_file;
  config->client_cert = user.cert;
  config->client_key = user.key;
  config->as_user = user.as_user;
  config->as_groups = user.as_groups;
  if (!others) config->exec = user.exec;
  return absl::OkStatus();
}

absl::Status TakeCluster(const KubeCluster& cluster, ClientConfig* config) {
  if (cluster.server.empty()) return Wrong(cluster.where, "server is missing");
  if (!cluster.refused.empty()) return Wrong(cluster.where, cluster.refused);
  config->server = cluster.server;
  config->tls_server_name = cluster.tls_server_name;
  config->insecure = cluster.insecure;
  config->ca = cluster.ca;
  config->proxy_url = cluster.proxy_url;
  if (config->exec) config->exec->cluster_config = cluster.exec_config;
  return absl::OkStatus();
}

// As client-go: nothing that whoever listens could use goes out in clear text.
void KeepCredentialsBack(ClientConfig* config) {
  config->token.clear();
  config->token_file.clear();
  config->client_cert = {};
  config->client_key = {};
  config->as_user.clear();
  config->as_groups.clear();
  config->exec.reset();
}

absl::StatusOr<ClientConfig> Combine(const std::vector<KubeconfigFile>& files,
                                     const KubeContext& context) {
  const KubeCluster* cluster = FindEntry(files, &KubeconfigFile::clusters, context.cluster);
  if (cluster == nullptr) {
    return Wrong(context.where,
                 fmt::format("no cluster '{}' in {}", context.cluster, Names(files)));
  }
  ClientConfig config;
  absl::Status status;
  // A context without a user calls without credentials.
  if (!context.user.empty()) {
    const KubeUser* user = FindEntry(files, &KubeconfigFile::users, context.user);
    if (user == nullptr) {
      return Wrong(context.where, fmt::format("no user '{}' in {}", context.user, Names(files)));
    }
    status = TakeUser(*user, &config);
    if (!status.ok()) return status;
  }
  status = TakeCluster(*cluster, &config);
  if (!status.ok()) return status;
  if (absl::StartsWithIgnoreCase(config.server, "http://")) KeepCredentialsBack(&config);
  if (!context.namespace_.empty()) config.namespace_ = context.namespace_;
  status = CheckConfig(config);
  if (!status.ok()) return Wrong(context.where, MessageOf(status));
  return config;
}

}  // namespace

absl::StatusOr<ClientConfig> ChooseContext(const std::vector<KubeconfigFile>& files,
                                           const std::string& context) {
  std::string name = context;
  for (const KubeconfigFile& file : files) {
    if (name.empty()) name = file.current_context;
  }
  const std::string names = ContextNames(files);
  if (names.empty()) return Wrong(Names(files), "has no contexts");
  if (name.empty()) {
    return Wrong(Names(files), fmt::format("no current-context; name one of: {}", names));
  }
  const KubeContext* chosen = FindEntry(files, &KubeconfigFile::contexts, name);
  if (chosen == nullptr) {
    return Wrong(Names(files), fmt::format("no context '{}'; there are: {}", name, names));
  }
  return Combine(files, *chosen);
}

absl::StatusOr<ClientConfig> LoadKubeconfig(const KubeconfigOptions& options,
                                            const Environment& environment) {
  const Paths found = PathsToRead(options, environment);
  std::vector<KubeconfigFile> files;
  std::string tried;
  for (const std::string& path : found.paths) {
    auto text = ReadSmallFile(path, kLargestKubeconfig);
    tried += (tried.empty() ? "" : ", ") + path;
    if (absl::IsNotFound(text.status()) && !found.all_must_exist) continue;
    if (!text.ok()) {
      return absl::Status(text.status().code(),
                          fmt::format("kubeconfig {}", MessageOf(text.status())));
    }
    auto file = ParseKubeconfig(path, *text);
    if (!file.ok()) return file.status();
    files.push_back(*std::move(file));
  }
  if (files.empty()) {
    return absl::NotFoundError(
        fmt::format("no kubeconfig: tried {}", tried.empty() ? "nothing, HOME is not set" : tried));
  }
  auto config = ChooseContext(files, options.context);
  if (config.ok()) config->environment = environment;
  return config;
}

}  // namespace outrigger::kube
