#include "kube/config/kubeconfig.h"

#include <exception>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "fmt/format.h"
#include "kube/config/exec_plugin.h"
#include "kube/config/kubeconfig_yaml.h"
#include "kube/errors.h"
#include "outrigger/base/text.h"
#include "sdk/base/files.h"

namespace outrigger::kube {
namespace {

// clusters, users and contexts are lists of a name and a mapping of this key.
template <typename Entry>
using ReadEntry = void (*)(const std::string& file, YamlFields* fields, Entry* entry);

// kubectl keeps secrets to itself unless it is asked for them, and the words are good base64.
void RefuseOmitted(const char* key, const std::string& text, std::string* refused) {
  if (!refused->empty() || (text != "DATA+OMITTED" && text != "REDACTED")) return;
  *refused = fmt::format(
      "{} is {}, which `kubectl config view` writes in place of the real one; `kubectl config view "
      "--raw` prints it",
      key, text);
}

void ReadPem(const std::string& file, const char* key, const char* data_key, YamlFields* fields,
             Pem* pem, std::string* refused) {
  std::string path;
  std::string text;
  fields->Text(key, &path);
  pem->file = ResolveBeside(file, path);
  fields->Text(data_key, &text);
  RefuseOmitted(data_key, text, refused);
  if (absl::StartsWith(text, "-----BEGIN")) {
    fields->Fail(fmt::format(
        "{} needs base64 of PEM, and this is PEM itself; {} takes the path of a file with it",
        data_key, key));
  }
  fields->Base64(data_key, &pem->data);
  pem->from = fmt::format("{} {}", fields->where(), pem->data.empty() ? key : data_key);
}

// What a plugin may want to know of its cluster.
void ReadExtensions(YamlFields* fields, KubeCluster* cluster) {
  fields->Each("extensions", [&](const YAML::Node& element) {
    YamlFields extension(element, fields->where() + " extensions");
    std::string name;
    extension.Text("name", &name);
    if (name == "client.authentication.k8s.io/exec" && extension.Has("extension")) {
      cluster->exec_config = JsonOfYaml(extension.Child("extension"));
    }
    return extension.status();
  });
}

void ReadCluster(const std::string& file, YamlFields* fields, KubeCluster* cluster) {
  fields->Text("server", &cluster->server);
  fields->Text("tls-server-name", &cluster->tls_server_name);
  fields->Text("proxy-url", &cluster->proxy_url);
  fields->Bool("insecure-skip-tls-verify", &cluster->insecure);
  ReadPem(file, "certificate-authority", "certificate-authority-data", fields, &cluster->ca,
          &cluster->refused);
  ReadExtensions(fields, cluster);
}

void ReadExecEnv(YamlFields* exec, ExecPlugin* plugin) {
  exec->Each("env", [&](const YAML::Node& element) {
    YamlFields variable(element, exec->where() + " env");
    std::string name;
    std::string value;
    variable.Text("name", &name);
    variable.Text("value", &value);
    if (name.empty() || name.find('=') != std::string::npos) variable.Fail("needs a name");
    if ((name + value).find('\0') != std::string::npos) variable.Fail("has a zero byte");
    plugin->env[name] = value;
    return variable.status();
  });
}

// Why `plugin` cannot be run, or empty.
std::string WhyNotRun(const ExecPlugin& plugin, const std::string& mode) {
  if (plugin.command.empty()) return "exec: command is missing";
  if (!IsExecVersion(plugin.api_version)) {
    return fmt::format(
        "exec: apiVersion is '{}'; accepted are client.authentication.k8s.io/v1 and "
        "client.authentication.k8s.io/v1beta1",
        plugin.api_version);
  }
  if (mode == "Always") {
    return "exec: interactiveMode Always needs a terminal, and there never is one";
  }
  if (!mode.empty() && mode != "Never" && mode != "IfAvailable") {
    return fmt::format("exec: interactiveMode is '{}'; accepted are Never and IfAvailable", mode);
  }
  return {};
}

void ReadExec(const std::string& file, YamlFields* user, KubeUser* to) {
  if (!user->Has("exec")) return;
  YamlFields exec(user->Child("exec"), user->where() + " exec");
  ExecPlugin plugin;
  std::string mode;
  exec.Text("apiVersion", &plugin.api_version);
  exec.Text("command", &plugin.command);
  exec.Texts("args", &plugin.args);
  ReadExecEnv(&exec, &plugin);
  exec.Text("installHint", &plugin.install_hint);
  exec.Bool("provideClusterInfo", &plugin.provide_cluster_info);
  exec.Text("interactiveMode", &mode);
  if (plugin.command.find('/') != std::string::npos) {
    plugin.command = ResolveBeside(file, plugin.command);
  }
  user->Take(exec.status());
  if (to->exec_refused.empty()) to->exec_refused = WhyNotRun(plugin, mode);
  to->exec = std::move(plugin);
}

// Only the user that is used is refused: a file may hold others for other programs.
void ReadRefused(const YamlFields& user, KubeUser* to) {
  if (!to->refused.empty()) return;
  if (user.Has("auth-provider")) {
    to->refused = "Kubernetes removed auth-provider in 1.26; use exec";
  } else if (user.Has("username") || user.Has("password")) {
    to->refused =
        "Kubernetes removed username and password in 1.19; use a token, a client certificate or "
        "exec";
  } else if (user.Has("as-uid") || user.Has("as-user-extra")) {
    to->refused = "as-uid and as-user-extra are not supported; as and as-groups are";
  }
}

void ReadUser(const std::string& file, YamlFields* fields, KubeUser* user) {
  std::string token_file;
  fields->Text("token", &user->token);
  fields->Text("tokenFile", &token_file);
  user->token_file = ResolveBeside(file, token_file);
  RefuseOmitted("token", user->token, &user->refused);
  ReadPem(file, "client-certificate", "client-certificate-data", fields, &user->cert,
          &user->refused);
  ReadPem(file, "client-key", "client-key-data", fields, &user->key, &user->refused);
  fields->Text("as", &user->as_user);
  fields->Texts("as-groups", &user->as_groups);
  ReadExec(file, fields, user);
  ReadRefused(*fields, user);
}

void ReadContext(const std::string& /*file*/, YamlFields* fields, KubeContext* context) {
  fields->Text("cluster", &context->cluster);
  fields->Text("user", &context->user);
  fields->Text("namespace", &context->namespace_);
}

// The list `list` of {name: ..., `key`: {...}}.
template <typename Entry>
void ReadList(const std::string& file, const char* list, const char* key, ReadEntry<Entry> read,
              YamlFields* root, std::vector<Entry>* to) {
  root->Each(list, [&](const YAML::Node& element) {
    YamlFields outer(element, fmt::format("{}: {}", file, list));
    Entry entry;
    outer.Text("name", &entry.name);
    if (entry.name.empty()) outer.Fail("an entry has no name");
    for (const Entry& other : *to) {
      if (other.name == entry.name) outer.Fail(fmt::format("'{}' is listed twice", entry.name));
    }
    entry.where = Printable(fmt::format("{}: {} '{}'", file, list, entry.name));
    YamlFields inner(outer.Child(key), entry.where);
    if (outer.status().ok()) read(file, &inner, &entry);
    outer.Take(inner.status());
    to->push_back(std::move(entry));
    return outer.status();
  });
}

absl::StatusOr<KubeconfigFile> ReadDocument(const std::string& name, const YAML::Node& document) {
  KubeconfigFile file;
  file.name = name;
  YamlFields root(document, name);
  std::string kind = "Config";
  root.Text("kind", &kind);
  if (kind != "Config" && !kind.empty()) {
    root.Fail(fmt::format("kind is '{}'; a kubeconfig is of kind Config", kind));
  }
  std::string version = "v1";
  root.Text("apiVersion", &version);
  if (version != "v1" && !version.empty()) {
    root.Fail(fmt::format("apiVersion is '{}'; a kubeconfig is of v1", version));
  }
  root.Text("current-context", &file.current_context);
  ReadList<KubeCluster>(name, "clusters", "cluster", ReadCluster, &root, &file.clusters);
  ReadList<KubeUser>(name, "users", "user", ReadUser, &root, &file.users);
  ReadList<KubeContext>(name, "contexts", "context", ReadContext, &root, &file.contexts);
  if (!root.status().ok()) return root.status();
  return file;
}

}  // namespace

absl::StatusOr<KubeconfigFile> ParseKubeconfig(const std::string& name, const std::string& text) {
  if (text.size() > kLargestKubeconfig) {
    return absl::InvalidArgumentError(Printable(
        fmt::format("{}: larger than {} bytes, which no kubeconfig is", name, kLargestKubeconfig)));
  }
  // yaml-cpp reports by exceptions, and some of its versions throw other types than its own.
  try {
    return ReadDocument(name, YAML::Load(text));
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(Printable(fmt::format(
        "{}:{}:{}: not YAML: {}", name, error.mark.line + 1, error.mark.column + 1, error.msg)));
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(
        Printable(fmt::format("{}: not YAML: {}", name, error.what())));
  }
}

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

namespace {

// Nothing for ~/.kube/config, which says that itself.
std::string NamedBy(const KubeconfigOptions& options, const Environment& environment) {
  if (!options.path.empty()) return options.by.empty() ? "--kubeconfig" : options.by;
  return ValueOf(environment, "KUBECONFIG").empty() ? "" : "KUBECONFIG";
}

absl::StatusOr<ClientConfig> Load(const KubeconfigOptions& options,
                                  const Environment& environment) {
  const Paths found = PathsToRead(options, environment);
  std::vector<KubeconfigFile> files;
  std::string tried;
  for (const std::string& path : found.paths) {
    auto text = ReadSmallFile(path, kLargestKubeconfig);
    tried += (tried.empty() ? "" : ", ") + path;
    if (absl::IsNotFound(text.status()) && !found.all_must_exist) continue;
    if (!text.ok()) return text.status();
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

}  // namespace

absl::StatusOr<ClientConfig> LoadKubeconfig(const KubeconfigOptions& options,
                                            const Environment& environment) {
  auto config = Load(options, environment);
  const std::string by = NamedBy(options, environment);
  if (by.empty()) return config;
  if (config.ok()) {
    // What is read later is of the same kubeconfig.
    for (Pem* pem : {&config->ca, &config->client_cert, &config->client_key}) {
      if (!pem->from.empty()) pem->from = fmt::format("{}: {}", by, pem->from);
    }
    return config;
  }
  return absl::Status(config.status().code(),
                      fmt::format("{}: {}", by, MessageOf(config.status())));
}

}  // namespace outrigger::kube
