#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/config/config.h"
#include "sdk/base/environment.h"

namespace outrigger::kube {

/// The entries of a kubeconfig file, with paths as they are seen from outside of it and data
/// decoded. `where` is for errors: "config: clusters 'prod'".
struct KubeCluster {
  std::string name, where;
  std::string server, tls_server_name, proxy_url;
  bool insecure = false;
  Pem ca;
  std::string exec_config;  // JSON for exec plugins, or empty
  std::string refused;      // why this cluster cannot be used, or empty
};
struct KubeUser {
  std::string name, where;
  std::string token, token_file;
  Pem cert, key;
  std::string as_user;
  std::vector<std::string> as_groups;
  std::optional<ExecPlugin> exec;
  std::string exec_refused;  // why `exec` cannot be run, or empty
  std::string refused;       // why this user cannot be used, or empty
};
struct KubeContext {
  std::string name, where;
  std::string cluster, user, namespace_;
};
struct KubeconfigFile {
  std::string name;
  std::string current_context;
  std::vector<KubeCluster> clusters;
  std::vector<KubeUser> users;
  std::vector<KubeContext> contexts;
};

/// The most that a kubeconfig may have.
inline constexpr size_t kLargestKubeconfig = size_t{4} << 20;

/// Reads the text of a kubeconfig; an empty one has no entries. `name` is its path, for errors and
/// for what is relative to it. InvalidArgument names the entry and what is accepted, with no secret
/// and no control byte in it. Any text is safe: aliases are not expanded, nesting is bounded.
absl::StatusOr<KubeconfigFile> ParseKubeconfig(const std::string& name, const std::string& text);

struct KubeconfigOptions {
  std::string path;     // empty: the files of KUBECONFIG, else ~/.kube/config
  std::string context;  // empty: current-context
  std::string by = {};  // what names the path, for errors; empty: --kubeconfig
};

/// Reads kubeconfig files as kubectl does. Of several in KUBECONFIG the first to have an entry, or
/// a current-context, wins, and those that do not exist are left out; paths in a file are relative
/// to its folder. Errors name what names the file, file, entry, value and what is accepted;
/// NotFound if there is no file at all. What could only fail later or silently (user names and
/// passwords, auth-provider) is refused by name.
absl::StatusOr<ClientConfig> LoadKubeconfig(const KubeconfigOptions& options,
                                            const Environment& environment);

/// The same for files in hand, first to last.
absl::StatusOr<ClientConfig> ChooseContext(const std::vector<KubeconfigFile>& files,
                                           const std::string& context);

}  // namespace outrigger::kube
